// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import SQLStore
internal import SettingsContracts

/// A change of one record in the making: what it becomes, and what the audit trail will say of it.
struct RecordEdit {
  let addressee: Addressee
  let policy: PolicyHistory
  let now: Timestamp
  var record: ConsentRecord
  private(set) var signals: Signals
  private let before: ConsentRecord
  private let view: SubjectView
  private let regulations: RegulationTable
  private var notes: [Note] = []

  /// One audit record to be.
  private struct Note {
    var kind: String
    var details: any AuditDetails
    var superseded: Decision?
  }

  init(
    _ addressee: Addressee, _ view: SubjectView, _ policy: PolicyHistory, _ regulations: RegulationTable,
    requestGPC: Bool, now: Timestamp
  ) {
    self.addressee = addressee
    self.view = view
    self.policy = policy
    self.regulations = regulations
    self.now = now
    // An opt-out of before such were kept is stored as one with the next change.
    record = view.record.withStandingOptOut(policy, regulations.optOutUses)
    before = record
    signals = view.signals(addressee, requestGPC: requestGPC, at: now)
    if requestGPC, addressee.isSelf { signal(gpc: true, att: nil) }
  }

  var situation: Situation {
    regulations.situation(of: record.facts, appDefault: policy.defaultRegulation)
  }

  var ground: DecisionGround {
    DecisionGround(policy: policy, situation: situation, signals: signals, now: now)
  }

  var optOutUses: UseSet { regulations.optOutUses }

  // MARK: Changes

  /// Keeps what the addressee's device signals now.
  mutating func signal(gpc: Bool?, att: ConsentATT?) {
    guard let device = addressee.deviceId else { return }
    // What it says now is newer than all it said before, even when the clock was set back.
    let known = record.devices?.first { $0.device == device }
    let stated = DeviceSignals(
      device: device, gpc: gpc, gpcAt: gpc.map { _ in max(now.milliseconds, known?.gpcAt ?? .min) }, att: att,
      attAt: att.map { _ in max(now.milliseconds, known?.attAt ?? .min) })
    guard record.keep(stated) else { return }
    var changed = view
    changed.record = record
    signals = changed.signals(addressee, requestGPC: false, at: now)
    var facts: [String: JSONValue] = ["regulation": .string(situation.regulation.id)]
    if let gpc { facts["gpc"] = ["present": .bool(gpc), "honored": .bool(gpc && situation.honorsGPC)] }
    if let att { facts["att"] = .string(att.rawValue) }
    note("consent.signalled", facts: facts)
  }

  /// Adds the audit records of an outcome.
  mutating func note(_ outcome: DecisionOutcome, as kind: String, _ evidence: Evidence) {
    var evidence = evidence
    if let optOut = outcome.optOut {
      let uses = ConsentUse.allCases.filter { regulations.optOutUses.contains($0) }
      evidence.facts["optOutOf"] = .array(uses.map { .string($0.rawValue) })
      if outcome.applied.isEmpty {
        // Nothing sells or shares, or all of it was refused before: the opt-out is about what comes.
        let details = OptOutDetails(optOut: optOut, evidence: evidence, situation: situation, subject: record.facts)
        notes.append(Note(kind: "consent.optedOut", details: details))
      }
    }
    for decision in outcome.applied {
      notes.append(Note(kind: kind, details: details(decision, evidence)))
    }
    for decision in outcome.superseded {
      var details = details(decision, evidence)
      details.isSuperseded = true
      notes.append(Note(kind: "consent.superseded", details: details, superseded: decision))
    }
  }

  /// Adds an audit record about something else than decisions.
  mutating func note(_ kind: String, facts: [String: JSONValue], personal: [String: JSONValue] = [:]) {
    notes.append(Note(kind: kind, details: AuditMembers(facts: facts, personal: personal)))
  }

  private func details(_ decision: Decision, _ evidence: Evidence) -> DecisionDetails {
    DecisionDetails(
      decision: decision, evidence: evidence, policy: policy, situation: situation, subject: record.facts)
  }

  /// Takes over what a device decided, and what follows from its signals.
  mutating func link(_ theirs: ConsentRecord, _ deviceId: String) {
    let theirs = theirs.withStandingOptOut(policy, regulations.optOutUses)
    let (adopted, changed) = record.link(theirs, as: deviceId, on: ground)
    let evidence = Evidence(facts: ["source": "device"], personal: ["sourceDeviceId": .string(deviceId)])
    note(DecisionOutcome(applied: adopted), as: "consent.linked", evidence)
    if changed, adopted.isEmpty {
      note("consent.linked", facts: evidence.facts, personal: evidence.personal)
    }
    // The person is known now: what their device signals is their opt-out.
    let signals = Signals(of: deviceId, theirs)
    let ground = DecisionGround(policy: policy, situation: situation, signals: signals, now: now)
    note(record.optOutBySignal(on: ground), as: "consent.decided", Evidence())
  }

  // MARK: The end

  /// Whether there is anything to write.
  var isPending: Bool {
    mutating get {
      // A person who is known is opted out by the signal, but for what they just confirmed against it.
      if addressee.isAccount, addressee.isSelf {
        note(record.optOutBySignal(on: ground), as: "consent.decided", Evidence())
      }
      return record != before || !notes.isEmpty
    }
  }

  /// Writes what changed and evaluates the result.
  mutating func finish(_ change: inout Change, named: NamedDecision?, locale: String?) throws -> ConsentState {
    guard isPending else {
      change.leaveUnchanged()
      return state(revision: view.revision, locale)
    }
    var state = state(revision: change.head.seq, locale)
    for note in notes {
      let entryId = change.record(note.kind, note.details)
      if state.entryId == nil { state.entryId = entryId }
      if let decision = note.superseded {
        state.superseded = (state.superseded ?? []) + [ConsentState.Superseded(decision, entryId)]
      }
    }
    let bytes = try JSON.encode(record)
    let row: [SQLValue] = [
      .text(addressee.subject.app), .text(addressee.subject.id), .integer(change.head.seq),
      .text(String(decoding: bytes, as: UTF8.self)),
    ]
    change.write(
      view.revision > 0
        ? SQLStatement(
          "UPDATE consent_record SET revision = $3, record = $4 WHERE app = $1 AND subject = $2", parameters: row)
        : SQLStatement(
          "INSERT INTO consent_record (app, subject, revision, record) VALUES ($1, $2, $3, $4)", parameters: row))
    try change.keep(ConsentEffect(record: RawJSON(bytes)))
    if let named { try change.apply(ConsentEffect(decision: named.effect(state))) }
    return state
  }

  /// The evaluation as a screen shows it.
  func state(revision: Int64, _ locale: String?) -> ConsentState {
    ConsentState(
      Evaluator(record: record, policy: policy, signals: signals, situation: situation), at: now, locale: locale,
      revision: revision)
  }
}

extension ConsentState.Superseded {
  fileprivate init(_ decision: Decision, _ entryId: String) {
    let status: ConsentStatus =
      switch decision.status {
      case .granted: .granted
      case .denied: .denied
      case .notDetermined: .notDetermined
      }
    self.init(
      category: decision.category, status: status, occurredAt: Timestamp(milliseconds: decision.at),
      policyVersion: decision.version, entryId: entryId)
  }
}
