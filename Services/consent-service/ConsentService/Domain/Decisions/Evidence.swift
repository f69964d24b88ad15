// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// What proves a decision beside the decision itself (GDPR, Art. 7(1): the controller must be able to demonstrate it).
struct Evidence: Sendable {
  var context: ConsentContext?
  var confirmed: [ConsentConfirmation] = []
  /// Further facts, such as where a linked decision came from.
  var facts: [String: JSONValue] = [:]
  var personal: [String: JSONValue] = [:]

  /// What is not personal: what was decided, under which rules, about which words.
  func facts(_ decision: Decision, _ policy: PolicyHistory, _ situation: Situation) -> [String: JSONValue] {
    var facts = self.facts
    facts.reserveCapacity(facts.count + 12)
    facts["category"] = .string(decision.category)
    facts["status"] = .string(decision.status.rawValue)
    facts["regulation"] = .string(situation.regulation.id)
    facts["mechanism"] = .string(situation.needsOptIn ? "optIn" : "optOut")
    facts["policyVersion"] = .integer(Int64(decision.version))
    facts["method"] = .string(decision.method.rawValue)
    facts["occurredAt"] = .string(Timestamp(milliseconds: decision.at).description)
    if decision.outdated == true { facts["outdated"] = true }
    if decision.optedOutAt != nil { facts["optedOut"] = true }
    if !confirmed.isEmpty { facts["confirmed"] = .array(confirmed.map { .string($0.rawValue) }) }
    if let context, let version = policy[decision.version] {
      let notice = policy.texts(of: version).edition(for: context.locale).notice
      facts["noticeHash"] = .string(notice.hash)
      facts["noticeLocale"] = .string(notice.locale)
    }
    return facts
  }

  /// Of an opt-out that was about no category.
  func facts(_ optOut: StandingOptOut, _ situation: Situation) -> [String: JSONValue] {
    var facts = self.facts
    facts["status"] = .string(ConsentStatus.denied.rawValue)
    facts["regulation"] = .string(situation.regulation.id)
    facts["method"] = .string(optOut.method.rawValue)
    facts["occurredAt"] = .string(Timestamp(milliseconds: optOut.at).description)
    facts["optedOut"] = true
    return facts
  }

  /// What may say something about the person.
  func personal(_ subject: SubjectFacts) -> [String: JSONValue] {
    var personal = self.personal
    // With what is added of subject and caller.
    personal.reserveCapacity(personal.count + 10)
    func add(_ name: String, _ value: String?) {
      if let value { personal[name] = .string(value) }
    }
    add("appVersion", context?.appVersion)
    add("osVersion", context?.osVersion)
    add("locale", context?.locale)
    add("surface", context?.surface)
    add("surfaceVersion", context?.surfaceVersion)
    add("country", subject.country)
    add("subdivision", subject.subdivision)
    return personal
  }
}

extension ConsentContext {
  /// - Throws: -32602 that names the member.
  func validate() throws(RPCError) {
    try TextRule.check(appVersion, "context.appVersion", 1...128)
    try TextRule.check(osVersion, "context.osVersion", 1...128)
    if let locale { try LanguageTag.check(locale, "context.locale") }
    if let surface { try TextRule.check(surface, "context.surface", 1...128) }
    if let surfaceVersion { try TextRule.check(surfaceVersion, "context.surfaceVersion", 1...128) }
  }
}
