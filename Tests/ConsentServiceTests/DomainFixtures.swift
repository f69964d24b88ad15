// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import SettingsContracts

@testable import ConsentService

/// 2026-06-01, when nothing else is said.
let noon = Timestamp("2026-06-01T12:00:00.000Z")!

func days(_ count: Int64) -> Int64 { count * Timestamp.millisecondsPerDay }

/// A policy version in short.
func version(
  _ number: Int, material: Bool = true, maxAgeDays: Int? = nil, reAskDays: Int? = nil,
  _ categories: [ConsentPolicy.Category]? = nil
) -> PolicyVersion {
  PolicyVersion(
    ConsentPolicy(
      version: number, material: material, categories: categories ?? PolicyVersion.builtIn.policy.categories,
      maxAgeDays: maxAgeDays, reAskDays: reAskDays, notices: PolicyVersion.builtIn.policy.notices),
    publishedAt: noon)
}

func category(
  _ id: String, required: Bool = false, _ uses: [ConsentUse] = [], regulations: [String]? = nil
) -> ConsentPolicy.Category {
  ConsentPolicy.Category(
    id: id, required: required, legalBasis: "consent", uses: uses, regulations: regulations,
    texts: [.init(locale: "en", displayName: id.uppercased(), explanation: "What \(id) is for.")])
}

func history(_ versions: PolicyVersion..., defaultRegulation: String? = nil) -> PolicyHistory {
  PolicyHistory(
    revision: Int64(versions.count), versions: versions.isEmpty ? [.builtIn] : versions,
    defaultRegulation: defaultRegulation)
}

/// A stored decision in short.
func decision(
  _ category: String, _ status: Decision.Status, at: Timestamp = noon, version: Int = 1,
  method: ConsentMethod = .save, optedOut: Bool = false, gpcConfirmed: Bool = false
) -> Decision {
  Decision(
    category: category, status: status, at: at.milliseconds, version: version, method: method,
    optedOutAt: optedOut ? at.milliseconds : nil, gpcConfirmed: gpcConfirmed ? true : nil)
}

/// Where people live in these tests.
enum Home: String, CaseIterable, Sendable, CustomStringConvertible {
  case germany = "DE"
  case france = "FR"
  case unitedKingdom = "GB"
  case california = "US-CA"
  case colorado = "US-CO"
  case india = "IN"
  case brazil = "BR"
  case unknown = ""

  var description: String { "\(self == .unknown ? "unknown" : rawValue)" }

  func facts(_ age: ConsentAgeBand = .unknown) -> SubjectFacts {
    var facts = SubjectFacts(age: age == .unknown ? nil : age)
    if self != .unknown {
      let region = Region(code: rawValue)
      facts.country = region.country
      facts.subdivision = region.subdivision
    }
    return facts
  }

  func situation(_ age: ConsentAgeBand = .unknown, appDefault: String? = nil) -> Situation {
    RegulationTable.builtIn.situation(of: facts(age), appDefault: appDefault)
  }
}

/// Evaluates in short.
func evaluator(
  _ decisions: [Decision], in home: Home = .germany, _ age: ConsentAgeBand = .unknown, signals: Signals = .none,
  policy: PolicyHistory = history()
) -> Evaluator {
  Evaluator(
    record: ConsentRecord(subject: home.facts(age), decisions: decisions), policy: policy, signals: signals,
    situation: home.situation(age, appDefault: policy.defaultRegulation))
}

extension Evaluator {
  func verdict(_ id: String, at now: Timestamp = noon) -> Verdict {
    evaluate(at: now).verdicts[policy.live.categories.firstIndex { $0.id == id }!]
  }
}

/// The same choice for every optional category of the built-in policy.
func all(_ status: Decision.Status, at: Timestamp = noon, version: Int = 1) -> [Decision] {
  ["analytics", "marketing", "personalization", "functional"].map {
    decision($0, status, at: at, version: version)
  }
}
