// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import SettingsContracts
import Testing

@testable import ConsentService

func ground(
  _ home: Home, _ age: ConsentAgeBand = .unknown, policy: PolicyHistory = history(), signals: Signals = .none,
  at now: Timestamp = noon
) -> DecisionGround {
  DecisionGround(policy: policy, situation: home.situation(age), signals: signals, now: now)
}

func act(
  _ choices: [String: Bool], at occurredAt: Timestamp? = nil, confirmed: [ConsentConfirmation] = [],
  method: ConsentMethod = .save, isOptOut: Bool = false
) -> DecisionAct {
  DecisionAct(
    choices: choices.sorted { $0.key < $1.key }.map { .init(category: $0.key, isGranted: $0.value) },
    version: .builtIn, method: method, occurredAt: occurredAt, confirmed: confirmed, isOptOut: isOptOut)
}

@Suite("Deciding")
struct DecisionTests {
  let everything = ["analytics": true, "marketing": true, "personalization": true, "functional": true]

  @Test("refusing a required category is refused, and nothing changes")
  func required() throws {
    var record = ConsentRecord()
    let error = #expect(throws: RPCError.self) {
      try record.apply(act(["analytics": true, "essential": false]), on: ground(.germany))
    }
    #expect(error?.code == .failedPrecondition && error?.reason == "requiredCategory")
    #expect(error?.field == "decisions.essential")
    #expect(record == ConsentRecord())
  }

  @Test("granting a required category says nothing")
  func requiredGranted() throws {
    var record = ConsentRecord()
    let outcome = try record.apply(act(["analytics": true, "essential": true]), on: ground(.germany))
    #expect(outcome.applied.map(\.category) == ["analytics"])
  }

  @Test("an unknown category is named, unless it could be somebody's text")
  func unknown() {
    var record = ConsentRecord()
    for (id, message) in [
      ("telemetry", "decisions.telemetry: no category telemetry; there are essential, analytics, marketing, "),
      ("maya@example.com", "not the id of a category; there are "),
    ] {
      let error = #expect(throws: RPCError.self) { try record.apply(act([id: true]), on: ground(.germany)) }
      #expect(error?.code == .invalidParams)
      #expect(error?.message.contains(message) == true)
      #expect(error?.message.contains("@") == false && error?.field?.contains("@") == false)
    }
  }

  @Test("per category the later decision stands, in whichever order they arrive")
  func offline() throws {
    let early = noon + -days(2)
    let late = noon + -days(1)
    for (first, second) in [(early, late), (late, early)] {
      var record = ConsentRecord()
      let grants = try record.apply(act(["analytics": first == late], at: first), on: ground(.germany))
      let denies = try record.apply(act(["analytics": second == late], at: second), on: ground(.germany))
      #expect(record["analytics"]?.status == .granted)
      #expect(record["analytics"]?.at == late.milliseconds)
      #expect(grants.superseded.count + denies.superseded.count == (first == late ? 1 : 0))
    }
  }

  @Test("on a tie the refusal stands", arguments: [true, false])
  func tie(grantFirst: Bool) throws {
    var record = ConsentRecord()
    _ = try record.apply(act(["analytics": grantFirst], at: noon), on: ground(.germany))
    _ = try record.apply(act(["analytics": !grantFirst], at: noon), on: ground(.germany))
    #expect(record["analytics"]?.status == .denied)
  }

  @Test("a claimed moment after receipt counts as receipt")
  func clamped() throws {
    var record = ConsentRecord()
    _ = try record.apply(act(["analytics": true], at: noon + days(30)), on: ground(.germany))
    #expect(record["analytics"]?.at == noon.milliseconds)
  }

  @Test(
    "what is decided online follows what was received before, even in the same millisecond or with the clock set back")
  func online() throws {
    var record = ConsentRecord()
    _ = try record.apply(act(["analytics": false]), on: ground(.germany))
    _ = try record.apply(act(["analytics": true]), on: ground(.germany))
    #expect(record["analytics"]?.status == .granted)
    _ = try record.apply(act(["analytics": false]), on: ground(.germany, at: noon + -days(1)))
    #expect(record["analytics"]?.status == .denied)
    #expect(record["analytics"]?.at == noon.milliseconds)
  }

  @Test("a losing decision leaves the record as it was")
  func superseded() throws {
    var record = ConsentRecord()
    _ = try record.apply(act(["marketing": false], isOptOut: true), on: ground(.california))
    let before = record
    // It would need a confirmation if it counted.
    let outcome = try record.apply(act(["marketing": true], at: noon + -1), on: ground(.california))
    #expect(outcome.superseded.map(\.category) == ["marketing"])
    #expect(record == before)
  }

  @Test("after an opt-out a grant takes a confirmation", arguments: [Home.california, .germany, .india])
  func optInAfterOptOut(home: Home) throws {
    var record = ConsentRecord()
    _ = try record.apply(act(["marketing": false], isOptOut: true), on: ground(home))
    let before = record
    let error = #expect(throws: RPCError.self) { try record.apply(act(everything), on: ground(home)) }
    #expect(error?.reason == "confirmationRequired")
    #expect(error?.details["confirm"] == ["optInAfterOptOut"])
    #expect(record == before)
    _ = try record.apply(act(everything, confirmed: [.optInAfterOptOut]), on: ground(home))
    #expect(record["marketing"]?.status == .granted && record["marketing"]?.optedOutAt == nil)
  }

  @Test("in California, refusing to be sold is an opt-out by whatever button; refusing analytics is not")
  func refusalIsOptOut() throws {
    var record = ConsentRecord()
    _ = try record.apply(act(["marketing": false, "analytics": false], method: .toggle), on: ground(.california))
    #expect(record["marketing"]?.optedOutAt != nil)
    #expect(record["analytics"]?.optedOutAt == nil)
    _ = try record.apply(act(["analytics": true]), on: ground(.california))
    var german = ConsentRecord()
    _ = try german.apply(act(["marketing": false]), on: ground(.germany))
    #expect(german["marketing"]?.optedOutAt == nil)
  }

  @Test("a grant against Global Privacy Control takes a confirmation, which is kept")
  func gpcConflict() throws {
    let signals = Signals(gpc: true, gpcAt: noon)
    var record = ConsentRecord()
    let error = #expect(throws: RPCError.self) {
      try record.apply(act(everything), on: ground(.california, signals: signals))
    }
    #expect(error?.details["confirm"] == ["gpcConflict"])
    _ = try record.apply(act(everything, confirmed: [.gpcConflict]), on: ground(.california, signals: signals))
    #expect(record["marketing"]?.gpcConfirmed == true && record["analytics"]?.gpcConfirmed == nil)
    // Confirmed once: saving the same screen again does not ask again, and the signal writes nothing over it.
    _ = try record.apply(act(everything), on: ground(.california, signals: signals))
    let nothing = record.optOutBySignal(on: ground(.california, signals: signals))
    #expect(nothing.applied.isEmpty && record["marketing"]?.status == .granted)
    // Where the signal is not honoured there is no conflict.
    var german = ConsentRecord()
    _ = try german.apply(act(everything), on: ground(.germany, signals: signals))
  }

  @Test("a known person's Global Privacy Control is an opt-out, once, of what sells or shares")
  func optOutBySignal() throws {
    let signals = Signals(gpc: true, gpcAt: noon)
    var record = ConsentRecord()
    _ = try record.apply(act(everything), on: ground(.california))
    let outcome = record.optOutBySignal(on: ground(.california, signals: signals))
    #expect(outcome.applied.map(\.category) == ["marketing"])
    #expect(record["marketing"]?.method == .gpc && record["marketing"]?.optedOutAt != nil)
    #expect(record["analytics"]?.status == .granted)
    let nothing = record.optOutBySignal(on: ground(.california, signals: signals))
    #expect(nothing == DecisionOutcome())
    // Answering needs one confirmation while the signal is on, the other once it is off.
    for (signals, needed) in [(signals, "gpcConflict"), (.none, "optInAfterOptOut")] {
      let error = #expect(throws: RPCError.self) {
        try record.apply(act(["marketing": true]), on: ground(.california, signals: signals))
      }
      #expect(error?.details["confirm"] == [.string(needed)])
    }
  }

  @Test("a reset forgets the decision and keeps the opt-out")
  func reset() throws {
    var record = ConsentRecord()
    _ = try record.apply(act(["marketing": false, "functional": true]), on: ground(.california))
    let outcome = record.reset(PolicyVersion.builtIn.categories, version: 1, occurredAt: nil, now: noon)
    #expect(Set(outcome.applied.map(\.category)) == ["marketing", "functional"])
    #expect(record["marketing"]?.status == .notDetermined && record["marketing"]?.optedOutAt != nil)
    #expect(record["functional"]?.refusedBefore == nil)
    let nothing = record.reset(PolicyVersion.builtIn.categories, version: 1, occurredAt: nil, now: noon)
    #expect(nothing == DecisionOutcome())
  }

  @Test("a person sets their age once, or to a younger one; a key sets it either way")
  func age() throws {
    let region = Region(code: "DE")
    var record = ConsentRecord()
    let set = { (age: ConsentAgeBand?, isPerson: Bool) throws(RPCError) in
      try record.setSubject(region, ageBand: age, isPerson: isPerson)
    }
    let steps = [try set(.adult, true), try set(.adult, true), try set(.age15, true)]
    #expect(steps == [true, false, true])
    for older in [ConsentAgeBand.age16to17, .adult, .unknown] {
      let error = #expect(throws: RPCError.self) { try set(older, true) }
      #expect(error?.reason == "ageOnlyYounger")
    }
    let left = try set(nil, true)
    #expect(!left)
    let byKey = try set(.adult, false)
    #expect(byKey)
  }
}
