// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import SettingsContracts
import Testing

@testable import ConsentService

@Suite("A new policy version")
struct PolicyChangeTests {
  static let categories = PolicyVersion.builtIn.policy.categories

  @Test("a category that is new has no grant, and prompts because the policy changed")
  func addedCategory() {
    let policy = history(version(1), version(2, material: false, Self.categories + [category("surveys")]))
    let evaluator = evaluator(all(.granted), policy: policy)
    #expect(
      evaluator.verdict("surveys")
        == Verdict(
          status: .notDetermined, allowed: false, reason: .undecided, prompt: .policyChanged))
    #expect(evaluator.verdict("analytics").allowed)
    #expect(evaluator.evaluate(at: noon).promptReason == .policyChanged)
  }

  @Test("it prompts those who refused everything for what is new, and for nothing else")
  func addedAfterRefusal() {
    let policy = history(version(1), version(2, Self.categories + [category("surveys")]))
    let evaluation = evaluator(all(.denied), policy: policy).evaluate(at: noon)
    #expect(evaluation.promptReason == .policyChanged)
    #expect(evaluation.verdicts.filter { $0.prompt != .none }.count == 1)
  }

  @Test("saving at the live version ends the prompt")
  func saved() {
    let policy = history(version(1), version(2))
    #expect(evaluator(all(.granted), policy: policy).evaluate(at: noon).promptReason == .policyChanged)
    #expect(evaluator(all(.granted, version: 2), policy: policy).evaluate(at: noon).promptReason == .none)
    #expect(evaluator(all(.denied, version: 2), policy: policy).evaluate(at: noon).promptReason == .none)
  }

  @Test("a grant of a version before a material one is not in force and still shown")
  func outdated() {
    let policy = history(version(1), version(2))
    let state = ConsentState(evaluator(all(.granted), policy: policy), at: noon, locale: nil, revision: 1)
    let analytics = state.categories[1]
    #expect(analytics.status == .granted && !analytics.allowed && analytics.reason == .policyChanged)
    #expect(analytics.policyVersion == 1 && analytics.decidedAt == noon)
    #expect(state.enabledCount == 0 && state.needsConsent)
  }

  @Test("one that is not material leaves grants in force")
  func immaterial() {
    let policy = history(version(1), version(2, material: false), version(3, material: false))
    #expect(evaluator(all(.granted), policy: policy).evaluate(at: noon).promptReason == .none)
  }

  @Test("one that uses a category for more than before ends its grants, material or not")
  func wider() {
    let wider = Self.categories.map { $0.id == "functional" ? category("functional", [.sale]) : $0 }
    let policy = history(version(1), version(2, material: false, wider))
    let evaluator = evaluator(all(.granted), policy: policy)
    #expect(evaluator.verdict("functional").reason == .policyChanged)
    #expect(evaluator.verdict("analytics").reason == .granted)
  }

  @Test("material versions in between count, whatever the live one is")
  func inBetween() {
    let policy = history(version(1), version(2), version(3, material: false))
    #expect(evaluator(all(.granted), policy: policy).verdict("analytics").reason == .policyChanged)
    #expect(evaluator(all(.granted, version: 2), policy: policy).verdict("analytics").reason == .granted)
  }

  @Test("a full rejection of 400 days ago is not asked again, neither after a material change")
  func oldRejection() {
    let now = noon + days(400)
    #expect(evaluator(all(.denied)).evaluate(at: now).promptReason == .none)
    #expect(evaluator(all(.denied), policy: history(version(1), version(2))).evaluate(at: now).promptReason == .none)
  }

  @Test("a refusal is asked again after the policy's interval, an opt-out never")
  func reAsk() {
    let policy = history(version(2, reAskDays: 180))
    let refused = evaluator(all(.denied, version: 2), policy: policy)
    #expect(refused.evaluate(at: noon + days(180) + -1).promptReason == .none)
    #expect(refused.evaluate(at: noon + days(180)).promptReason == .expired)
    #expect(refused.evaluate(at: noon).reviewAt == noon + days(180))
    #expect(!refused.verdict("analytics", at: noon + days(180)).allowed)
    let optedOut = ["analytics", "marketing", "personalization", "functional"].map {
      decision($0, .denied, version: 2, optedOut: true)
    }
    #expect(evaluator(optedOut, policy: policy).evaluate(at: noon + days(1000)).promptReason == .none)
  }

  @Test("a decision on a version that was not live any more is evidence, and prompts")
  func notLive() throws {
    let policy = history(version(1), version(2, material: false))
    var record = ConsentRecord(subject: Home.germany.facts())
    let act = DecisionAct(
      choices: [.init(category: "analytics", isGranted: true)], version: policy.versions[0], method: .save)
    _ = try record.apply(act, on: ground(.germany, policy: policy))
    let evaluator = Evaluator(
      record: record, policy: policy, signals: .none, situation: Home.germany.situation())
    #expect(evaluator.verdict("analytics").reason == .policyChanged)
    #expect(evaluator.evaluate(at: noon).needsConsent)
  }
}
