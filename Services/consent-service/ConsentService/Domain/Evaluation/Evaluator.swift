// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// The rules: a pure function of record, policy, signals, subject and time, which gives reasons.
///
/// Order of precedence within a category, from the strongest:
/// 1. required, 2. does not exist here, 3. age, 4. the person's own refusal, 5. whether a grant holds, or the
/// regulation's default, 6. signals, which mask what would be allowed and never allow anything.
struct Evaluator: Sendable {
  let record: ConsentRecord
  let policy: PolicyHistory
  let signals: Signals
  let situation: Situation

  /// Everything, with the next moment at which anything of it changes.
  func evaluate(at now: Timestamp) -> Evaluation {
    var evaluation = overall(at: now)
    evaluation.reviewAt = firstChange(after: now, of: record.decisions) { moment in
      let later = overall(at: moment)
      return later.verdicts != evaluation.verdicts || later.promptReason != evaluation.promptReason
    }
    return evaluation
  }

  /// Whether the live version's category at `index` is allowed, and the next moment at which that changes.
  func check(_ index: Int, at now: Timestamp) -> (verdict: Verdict, reviewAt: Timestamp?) {
    let category = policy.live.categories[index]
    let decision = record[category.id]
    let current = verdict(index, decision, at: now)
    let change = firstChange(after: now, of: decision.map { [$0] } ?? []) { moment in
      let later = verdict(index, decision, at: moment)
      return later.allowed != current.allowed || later.reason != current.reason
    }
    return (current, change)
  }

  private func overall(at now: Timestamp) -> Evaluation {
    let verdicts = policy.live.categories.indices.map { index in
      verdict(index, record[policy.live.categories[index].id], at: now)
    }
    let reason = Self.promptReasons.first { reason in verdicts.contains { $0.prompt == reason } }
    return Evaluation(verdicts: verdicts, promptReason: reason ?? .none)
  }

  /// A change of the policy says more than that something is missing; that a grant ran out, too.
  private static let promptReasons: [ConsentPromptReason] = [.policyChanged, .expired, .missing]

  // MARK: One category

  private func verdict(_ index: Int, _ decision: Decision?, at now: Timestamp) -> Verdict {
    let category = policy.live.categories[index]
    if category.required { return Verdict(status: .granted, allowed: true, reason: .required) }
    guard category.applies(under: situation.regulation) else {
      return Verdict(status: .notApplicable, allowed: false, reason: .notApplicable)
    }
    // The age comes before everything a person can say. Nobody is asked what they may not answer.
    if category.uses.intersects(situation.barredUses) || situation.needsGuardian(at: now) {
      return Verdict(status: decision.status, allowed: false, reason: .minor)
    }
    var verdict = unmasked(index, category, decision, at: now)
    guard verdict.allowed else { return verdict }
    if signals.gpc, situation.honorsGPC, category.uses.intersects(situation.gpcUses), decision?.gpcConfirmed != true {
      verdict.allowed = false
      verdict.reason = .gpc
    } else if category.uses.contains(.crossAppTracking), let att = signals.att, att != .authorized {
      // Apple wants both: the person's yes in the app and the system's authorization.
      verdict.allowed = false
      verdict.reason = .att
    }
    return verdict
  }

  /// Without regard to signals.
  private func unmasked(
    _ index: Int, _ category: PolicyVersion.Category, _ decision: Decision?, at now: Timestamp
  ) -> Verdict {
    let isOptedOut =
      record.optOut(
        of: category.uses, decision, isCovered: decision.map { policy.isCovered(index, by: $0.version) } ?? false,
        situation) != nil
    guard let decision, decision.isExplicit else { return undecided(index, decision, isOptedOut: isOptedOut) }
    if decision.status == .denied {
      let optedOut = decision.optedOutAt != nil
      return Verdict(
        status: .denied, allowed: false, reason: optedOut ? .optedOut : .denied, prompt: reAsk(decision, at: now))
    }
    if isOptedOut { return Verdict(status: .granted, allowed: false, reason: .optedOut) }
    let broken: ConsentReason? =
      if decision.outdated == true || !policy.isCovered(index, by: decision.version) {
        .policyChanged
      } else if let end = grantEnd(decision), now >= end {
        .expired
      } else {
        nil
      }
    guard let broken else { return Verdict(status: .granted, allowed: true, reason: .granted) }
    guard situation.needsOptIn else {
      // Where nobody had to ask, a grant that no longer holds leaves what there was without it.
      return Verdict(status: .granted, allowed: true, reason: .optOutDefault)
    }
    return Verdict(
      status: .granted, allowed: false, reason: broken, prompt: broken == .expired ? .expired : .policyChanged)
  }

  private func undecided(
    _ index: Int, _ decision: Decision?, isOptedOut: Bool
  ) -> Verdict {
    if isOptedOut || decision?.optedOutAt != nil {
      return Verdict(status: .notDetermined, allowed: false, reason: .optedOut)
    }
    guard situation.needsOptIn else {
      return decision?.refusedBefore == true
        ? Verdict(status: .notDetermined, allowed: false, reason: .optedOut)
        : Verdict(status: .notDetermined, allowed: true, reason: .optOutDefault)
    }
    // Who decided on a version that did not have the category is asked because the policy changed.
    let isNew =
      decision == nil
      && record.decisions.contains { $0.isExplicit && !policy.wasOffered(index, in: $0.version) }
    return Verdict(
      status: .notDetermined, allowed: false, reason: .undecided, prompt: isNew ? .policyChanged : .missing)
  }

  /// A refusal is asked again after the policy's interval only, whatever changed meanwhile; an opt-out never.
  private func reAsk(_ decision: Decision, at now: Timestamp) -> ConsentPromptReason {
    guard situation.needsOptIn, decision.optedOutAt == nil, let moment = reAskMoment(decision) else { return .none }
    return now >= moment ? .expired : .none
  }

  // MARK: Time

  /// From when on a grant no longer holds.
  private func grantEnd(_ decision: Decision) -> Timestamp? {
    guard let age = policy.live.maxAge ?? situation.regulation.refreshInterval else { return nil }
    return Timestamp(milliseconds: decision.at) + age
  }

  private func reAskMoment(_ decision: Decision) -> Timestamp? {
    policy.live.reAskInterval.map { Timestamp(milliseconds: decision.at) + $0 }
  }

  /// The first of the moments at which rules look at the clock that satisfies `isChange`. Between two of them nothing
  /// can change.
  private func firstChange(
    after now: Timestamp, of decisions: [Decision], _ isChange: (Timestamp) -> Bool
  ) -> Timestamp? {
    var moments = situation.regulation.agesChange(country: situation.country)
    for decision in decisions {
      switch decision.status {
      case .granted: if let end = grantEnd(decision) { moments.append(end) }
      case .denied: if let moment = reAskMoment(decision) { moments.append(moment) }
      case .notDetermined: break
      }
    }
    moments.removeAll { $0 <= now }
    moments.sort()
    return moments.first(where: isChange)
  }
}

extension Decision? {
  /// As the contract says it.
  fileprivate var status: ConsentStatus {
    switch self?.status {
    case .granted: .granted
    case .denied: .denied
    case .notDetermined, nil: .notDetermined
    }
  }
}
