// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import SettingsContracts
import Testing

@testable import ConsentService

/// A row of a decision table.
struct Case: Sendable, CustomStringConvertible {
  var description: String
  var home: Home = .germany
  var age: ConsentAgeBand = .unknown
  var category = "marketing"
  var stored: Decision?
  var signals = Signals.none
  var expected: (allowed: Bool, reason: ConsentReason, status: ConsentStatus)
}

@Suite("Evaluation")
struct EvaluatorTests {
  static let granted = decision("marketing", .granted)
  static let denied = decision("marketing", .denied)
  static let optedOut = decision("marketing", .denied, optedOut: true)

  static let optIn: [Case] = [.germany, .france, .unitedKingdom, .colorado, .india, .brazil, .unknown].flatMap { home in
    [
      Case(
        description: "\(home): nothing decided", home: home, expected: (false, .undecided, .notDetermined)),
      Case(description: "\(home): granted", home: home, stored: granted, expected: (true, .granted, .granted)),
      Case(description: "\(home): denied", home: home, stored: denied, expected: (false, .denied, .denied)),
      Case(description: "\(home): opted out", home: home, stored: optedOut, expected: (false, .optedOut, .denied)),
      Case(
        description: "\(home): required", home: home, category: "essential",
        expected: (true, .required, .granted)),
    ]
  }

  static let optOut: [Case] = [
    Case(
      description: "nothing decided", home: .california, expected: (true, .optOutDefault, .notDetermined)),
    Case(description: "granted", home: .california, stored: granted, expected: (true, .granted, .granted)),
    Case(description: "denied", home: .california, stored: denied, expected: (false, .denied, .denied)),
    Case(description: "opted out", home: .california, stored: optedOut, expected: (false, .optedOut, .denied)),
    Case(
      description: "opted out, then reset", home: .california,
      stored: Decision(
        category: "marketing", status: .notDetermined, at: 0, version: 1, method: .save, optedOutAt: 0),
      expected: (false, .optedOut, .notDetermined)),
    Case(
      description: "denied, then reset", home: .california,
      stored: Decision(
        category: "marketing", status: .notDetermined, at: 0, version: 1, method: .save, refusedBefore: true),
      expected: (false, .optedOut, .notDetermined)),
    Case(
      description: "a grant that ran out leaves the default", home: .california,
      stored: decision("marketing", .granted, version: 7), expected: (true, .optOutDefault, .granted)),
    Case(
      description: "15, nothing decided: the minor opts in", home: .california, age: .age15,
      expected: (false, .undecided, .notDetermined)),
    Case(
      description: "13, granted by the minor", home: .california, age: .age13, stored: granted,
      expected: (true, .granted, .granted)),
    Case(
      description: "under 13, granted by the child: a parent decides", home: .california, age: .under13,
      stored: granted, expected: (false, .minor, .granted)),
    Case(
      description: "16 to 17: opt-out as an adult", home: .california, age: .age16to17,
      expected: (true, .optOutDefault, .notDetermined)),
    Case(
      description: "14, functional: no default for a known minor", home: .california, age: .age14,
      category: "functional", expected: (false, .undecided, .notDetermined)),
  ]

  static let ages: [Case] = [
    Case(
      description: "Germany, 15: below 16", age: .age15, stored: granted, expected: (false, .minor, .granted)),
    Case(description: "Germany, 16", age: .age16to17, stored: granted, expected: (true, .granted, .granted)),
    Case(
      description: "France, 14: below 15", home: .france, age: .age14, stored: granted,
      expected: (false, .minor, .granted)),
    Case(description: "France, 15", home: .france, age: .age15, stored: granted, expected: (true, .granted, .granted)),
    Case(
      description: "United Kingdom, 13", home: .unitedKingdom, age: .age13, stored: granted,
      expected: (true, .granted, .granted)),
    Case(
      description: "United Kingdom, under 13", home: .unitedKingdom, age: .under13, stored: granted,
      expected: (false, .minor, .granted)),
    Case(
      description: "India, 17: tracking is barred whatever was granted", home: .india, age: .age16to17,
      stored: granted, expected: (false, .minor, .granted)),
    Case(
      description: "India, 17, personalization monitors behaviour", home: .india, age: .age16to17,
      category: "personalization", stored: decision("personalization", .granted),
      expected: (false, .minor, .granted)),
    Case(
      description: "India, adult", home: .india, age: .adult, stored: granted, expected: (true, .granted, .granted)),
    Case(
      description: "an unknown age is not a minor's", home: .india, stored: granted,
      expected: (true, .granted, .granted)),
    Case(
      description: "a required category is a minor's, too", home: .india, age: .under13, category: "essential",
      expected: (true, .required, .granted)),
  ]

  static let gpc = Signals(gpc: true, gpcAt: noon)
  static let signals: [Case] = [
    Case(
      description: "California, GPC masks the default", home: .california, signals: gpc,
      expected: (false, .gpc, .notDetermined)),
    Case(
      description: "California, GPC masks a grant and leaves it", home: .california, stored: granted, signals: gpc,
      expected: (false, .gpc, .granted)),
    Case(
      description: "California, a grant confirmed against GPC", home: .california,
      stored: decision("marketing", .granted, gpcConfirmed: true), signals: gpc,
      expected: (true, .granted, .granted)),
    Case(
      description: "Colorado, GPC is honoured", home: .colorado, stored: granted, signals: gpc,
      expected: (false, .gpc, .granted)),
    Case(
      description: "unknown region, GPC is honoured", home: .unknown, stored: granted, signals: gpc,
      expected: (false, .gpc, .granted)),
    Case(
      description: "Germany, the explicit yes stands", stored: granted, signals: gpc,
      expected: (true, .granted, .granted)),
    Case(
      description: "GPC is about selling and advertising, not analytics", home: .california, category: "analytics",
      signals: gpc, expected: (true, .optOutDefault, .notDetermined)),
    Case(
      description: "GPC grants nothing and hides no refusal", home: .california, stored: denied, signals: gpc,
      expected: (false, .denied, .denied)),
    Case(
      description: "ATT denied masks a grant", stored: granted, signals: Signals(att: .denied),
      expected: (false, .att, .granted)),
    Case(
      description: "ATT restricted masks a grant", stored: granted, signals: Signals(att: .restricted),
      expected: (false, .att, .granted)),
    Case(
      description: "ATT not asked yet: both are needed", stored: granted, signals: Signals(att: .notDetermined),
      expected: (false, .att, .granted)),
    Case(
      description: "ATT authorized and granted", stored: granted, signals: Signals(att: .authorized),
      expected: (true, .granted, .granted)),
    Case(
      description: "ATT authorized alone grants nothing", signals: Signals(att: .authorized),
      expected: (false, .undecided, .notDetermined)),
    Case(
      description: "ATT is about other companies' apps, not analytics", category: "analytics",
      stored: decision("analytics", .granted), signals: Signals(att: .denied),
      expected: (true, .granted, .granted)),
    Case(
      description: "ATT masks the default, too", home: .california, signals: Signals(att: .denied),
      expected: (false, .att, .notDetermined)),
  ]

  @Test("says per category whether and why", arguments: optIn + optOut + ages + signals)
  func verdict(row: Case) {
    let verdict = evaluator(row.stored.map { [$0] } ?? [], in: row.home, row.age, signals: row.signals)
      .verdict(row.category)
    #expect(verdict.allowed == row.expected.allowed)
    #expect(verdict.reason == row.expected.reason)
    #expect(verdict.status == row.expected.status)
  }

  @Test("a grant holds while now is before its end, and is then asked again")
  func expiry() {
    let policy = history(version(2, maxAgeDays: 30))
    let evaluator = evaluator(all(.granted, version: 2), policy: policy)
    let end = noon + days(30)
    #expect(evaluator.evaluate(at: end + -1).promptReason == .none)
    #expect(evaluator.verdict("analytics", at: end + -1).reason == .granted)
    #expect(
      evaluator.verdict("analytics", at: end)
        == Verdict(
          status: .granted, allowed: false, reason: .expired, prompt: .expired))
    #expect(evaluator.evaluate(at: end).promptReason == .expired)
    #expect(evaluator.evaluate(at: noon).reviewAt == end)
    #expect(evaluator.evaluate(at: end).reviewAt == nil)
  }

  @Test("without a policy's own limit, the regulation says how long a grant holds")
  func refresh() {
    #expect(evaluator(all(.granted)).evaluate(at: noon).reviewAt == noon + days(365))
    #expect(evaluator(all(.granted), in: .california).evaluate(at: noon).reviewAt == nil)
  }

  @Test("a category of other regulations does not exist, and is neither asked about nor counted")
  func notApplicable() {
    let policy = history(
      version(
        2, [category("base", required: true), category("resale", [.sale], regulations: ["ccpa"]), category("ads")]))
    let german = evaluator(
      [decision("resale", .granted, version: 2), decision("ads", .denied, version: 2)], policy: policy)
    #expect(german.verdict("resale") == Verdict(status: .notApplicable, allowed: false, reason: .notApplicable))
    #expect(german.evaluate(at: noon).promptReason == .none)
    let state = ConsentState(german, at: noon, locale: "en", revision: 1)
    #expect(state.summary == "0 of 1 optional categories enabled")
    #expect(evaluator([], in: .california, policy: policy).verdict("resale").allowed)
  }

  @Test("nobody is asked what they may not answer")
  func minorsAreNotAsked() {
    #expect(evaluator([], .age13).evaluate(at: noon).promptReason == .none)
    #expect(evaluator([], in: .california, .age14).evaluate(at: noon).promptReason == .missing)
    #expect(evaluator([], in: .california).evaluate(at: noon).promptReason == .none)
    #expect(evaluator([]).evaluate(at: noon).promptReason == .missing)
  }

  @Test("the date on which a country moves its age of consent is the next change")
  func datedAge() {
    let before = Timestamp("2023-06-01T00:00:00.000Z")!
    let change = Timestamp("2024-01-01T00:00:00.000Z")!
    let facts = SubjectFacts(country: "DK", age: .age14)
    let dane = Evaluator(
      record: ConsentRecord(subject: facts, decisions: all(.granted, at: before)), policy: history(), signals: .none,
      situation: RegulationTable.builtIn.situation(of: facts, appDefault: nil))
    #expect(dane.verdict("analytics", at: before).allowed)
    #expect(dane.evaluate(at: before).reviewAt == change)
    #expect(dane.verdict("analytics", at: change).reason == .minor)
  }
}
