// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import SettingsContracts
import Testing

@testable import ConsentService

/// xorshift64: the same walk for the same seed.
struct Walk: RandomNumberGenerator {
  var state: UInt64
  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}

/// A person to whom things happen.
struct Life {
  var record = ConsentRecord()
  var signals = Signals.none
  var policy: PolicyHistory
  var now = noon
  var walk: Walk

  init(seed: UInt64) {
    walk = Walk(seed: seed)
    policy = history()
  }

  var ids: [String] { policy.live.categories.filter { !$0.required }.map(\.id) }
  var situation: Situation {
    RegulationTable.builtIn.situation(of: record.facts, appDefault: policy.defaultRegulation)
  }
  var ground: DecisionGround { DecisionGround(policy: policy, situation: situation, signals: signals, now: now) }
  var evaluator: Evaluator { Evaluator(record: record, policy: policy, signals: signals, situation: situation) }

  mutating func decide(_ isGranted: Bool, offline: Bool = false, isOptOut: Bool = false) {
    let chosen = ids.filter { _ in Bool.random(using: &walk) }
    let act = DecisionAct(
      choices: chosen.map { .init(category: $0, isGranted: isGranted) },
      version: policy.versions.randomElement(using: &walk)!, method: .save,
      occurredAt: offline ? now + -Int64.random(in: 0...days(500), using: &walk) : nil, isOptOut: isOptOut)
    _ = try? record.apply(act, on: ground)
  }

  /// Something that is neither a yes nor a confirmation of one.
  mutating func drift() {
    switch Int.random(in: 0..<9, using: &walk) {
    case 0: now = now + Int64.random(in: 0...days(300), using: &walk)
    case 1: _ = record.reset(policy.live.categories, version: policy.live.number, occurredAt: nil, now: now)
    case 2:
      let home = Home.allCases.randomElement(using: &walk)!
      record.subject = home.facts(record.facts.ageBand)
    case 3:
      record.subject = SubjectFacts(
        country: record.facts.country, subdivision: record.facts.subdivision,
        age: ConsentAgeBand.allCases.randomElement(using: &walk)!)
    case 4: signals = Signals(gpc: .random(using: &walk), att: ConsentATT.allCases.randomElement(using: &walk))
    case 5: publish()
    case 6: decide(false, offline: .random(using: &walk))
    case 7: _ = record.optOutBySignal(on: ground)
    default:
      // A device of the past, from before anything this person did.
      var device = ConsentRecord()
      let long = noon + -days(1000)
      for id in ids { device[id] = decision(id, .random(using: &walk) ? .granted : .denied, at: long) }
      _ = record.link(device, as: "d", on: ground)
    }
  }

  mutating func publish() {
    guard policy.versions.count < 6 else { return }
    let material = Bool.random(using: &walk)
    let age = [nil, 30, 400].randomElement(using: &walk)!
    let ask = [nil, 100].randomElement(using: &walk)!
    var categories = PolicyVersion.builtIn.policy.categories
    // What sells may be new, or be what did not sell before.
    if Bool.random(using: &walk) { categories.append(category("partners", [.sale])) }
    if Bool.random(using: &walk) { categories[4] = category("functional", [.sharing]) }
    policy = PolicyHistory(
      revision: policy.revision + 1,
      versions: policy.versions + [
        version(policy.live.number + 1, material: material, maxAgeDays: age, reAskDays: ask, categories)
      ], defaultRegulation: policy.defaultRegulation)
  }
}

@Suite("Whatever happens")
struct PropertyTests {
  static let seeds = Array(UInt64(1)...60)

  @Test("a withdrawal is not undone by anything but a yes", arguments: seeds)
  func withdrawalWins(seed: UInt64) {
    var life = Life(seed: seed)
    for _ in 0..<20 { Bool.random(using: &life.walk) ? life.decide(true) : life.drift() }
    let act = DecisionAct(
      choices: life.ids.map { .init(category: $0, isGranted: false) }, version: life.policy.live, method: .save)
    _ = try? life.record.apply(act, on: life.ground)
    let refused = life.ids
    for _ in 0..<40 {
      let verdicts = refused.filter(life.ids.contains).map { life.evaluator.verdict($0, at: life.now) }
      #expect(verdicts.allSatisfy { !$0.allowed })
      life.drift()
    }
  }

  @Test("an opt-out outlasts resets, expiry, moves, links and unconfirmed grants", arguments: seeds)
  func optOutStands(seed: UInt64) {
    var life = Life(seed: seed)
    for _ in 0..<20 { Bool.random(using: &life.walk) ? life.decide(true) : life.drift() }
    let act = DecisionAct(
      choices: life.policy.live.categories.filter { $0.uses.intersects(life.situation.optOutUses) }.map {
        .init(category: $0.id, isGranted: false)
      }, version: life.policy.live, method: .save, isOptOut: true)
    _ = try? life.record.apply(act, on: life.ground)
    for _ in 0..<40 {
      for (category, verdict) in zip(life.policy.live.categories, life.evaluator.evaluate(at: life.now).verdicts)
      where category.uses.intersects(life.situation.optOutUses) {
        #expect(!verdict.allowed, "\(category.id)")
      }
      Bool.random(using: &life.walk) ? life.decide(true, offline: .random(using: &life.walk)) : life.drift()
    }
  }

  @Test("the same question has the same answer, and nothing changes before reviewAt", arguments: seeds)
  func reviewAt(seed: UInt64) {
    var life = Life(seed: seed)
    for _ in 0..<30 {
      switch Int.random(in: 0..<3, using: &life.walk) {
      case 0: life.decide(true, offline: .random(using: &life.walk))
      case 1: life.decide(false)
      default: life.drift()
      }
      let evaluator = life.evaluator
      let evaluation = evaluator.evaluate(at: life.now)
      #expect(evaluator.evaluate(at: life.now) == evaluation)
      let horizon = evaluation.reviewAt ?? life.now + days(2000)
      #expect(horizon > life.now)
      for _ in 0..<10 {
        let moment = Timestamp(
          milliseconds: .random(in: life.now.milliseconds..<horizon.milliseconds, using: &life.walk))
        let between = evaluator.evaluate(at: moment)
        #expect(between.verdicts == evaluation.verdicts && between.promptReason == evaluation.promptReason)
      }
      if let reviewAt = evaluation.reviewAt {
        let after = evaluator.evaluate(at: reviewAt)
        #expect(after.verdicts != evaluation.verdicts || after.promptReason != evaluation.promptReason)
      }
    }
  }

  @Test("a check of one category agrees with the evaluation of all", arguments: seeds)
  func checkAgrees(seed: UInt64) {
    var life = Life(seed: seed)
    for _ in 0..<30 {
      Bool.random(using: &life.walk) ? life.decide(.random(using: &life.walk)) : life.drift()
      let evaluation = life.evaluator.evaluate(at: life.now)
      for index in life.policy.live.categories.indices {
        let (verdict, reviewAt) = life.evaluator.check(index, at: life.now)
        #expect(verdict == evaluation.verdicts[index])
        if let reviewAt {
          let then = life.evaluator.evaluate(at: reviewAt).verdicts[index]
          #expect(then.allowed != verdict.allowed || then.reason != verdict.reason)
        }
      }
    }
  }

  @Test("nothing but a yes of one's own allows what needs a yes", arguments: seeds)
  func noYesNoProcessing(seed: UInt64) {
    var life = Life(seed: seed)
    for _ in 0..<60 {
      life.drift()
      guard life.situation.needsOptIn else { continue }
      for (index, verdict) in life.evaluator.evaluate(at: life.now).verdicts.enumerated() where verdict.allowed {
        let category = life.policy.live.categories[index]
        #expect(category.required || life.record[category.id]?.status == .granted)
      }
    }
  }

  @Test("a record survives its stored form", arguments: seeds)
  func stored(seed: UInt64) throws {
    var life = Life(seed: seed)
    for _ in 0..<20 { Bool.random(using: &life.walk) ? life.decide(.random(using: &life.walk)) : life.drift() }
    let text = try JSON.encodeString(life.record)
    #expect(try JSON.decode(ConsentRecord.self, from: text) == life.record)
  }

  @Test(
    "text that is not a record's decisions is refused, whatever it is",
    arguments: [
      " ", ";", "analytics", "analytics granted", "analytics granted 1 1", "analytics granted 1 1 psychic",
      "analytics perhaps 1 1 save", "analytics granted x 1 save", "analytics granted 1 1 save;",
      "analytics granted 1 1 save;;", "analytics granted 1 1 save later", "analytics granted 1 1 save optedOut=",
      "analytics granted 9999999999999999999 1 save", "analytics granted - 1 save later", "ä granted 1 1 säve",
    ])
  func notStored(text: String) throws {
    guard let parsed = Decision.parse(text) else { return }
    let stored = try JSON.decode([String: JSONValue].self, from: JSON.encode(ConsentRecord(decisions: parsed)))
    #expect(stored["decisions"] == .string(text))
  }
}
