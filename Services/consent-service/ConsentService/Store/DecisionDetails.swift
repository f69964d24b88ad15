// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import SettingsContracts

/// A decision as the audit trail keeps it.
struct DecisionDetails: AuditDetails {
  let decision: Decision
  let evidence: Evidence
  let policy: PolicyHistory
  let situation: Situation
  let subject: SubjectFacts
  /// A later one had overtaken it.
  var isSuperseded = false

  /// What was decided, under which rules, about which words.
  func putFacts(into object: JSONObject) {
    object.put(unordered: evidence.facts)
    object.put("category", decision.category)
    object.put("status", decision.status.rawValue)
    object.put("regulation", situation.regulation.id)
    object.put("mechanism", situation.needsOptIn ? "optIn" : "optOut")
    object.put("policyVersion", decision.version)
    object.put("method", decision.method.rawValue)
    object.put("occurredAt", Timestamp(milliseconds: decision.at))
    if decision.outdated == true { object.put("outdated", true) }
    if decision.optedOutAt != nil { object.put("optedOut", true) }
    if isSuperseded { object.put("superseded", true) }
    if !evidence.confirmed.isEmpty {
      object.put("confirmed", JSONValue.array(evidence.confirmed.map { .string($0.rawValue) }))
    }
    if let context = evidence.context, let version = policy[decision.version] {
      let notice = policy.texts(of: version).edition(for: context.locale).notice
      object.put("noticeHash", notice.hash)
      object.put("noticeLocale", notice.locale)
    }
  }

  func putPersonal(into object: JSONObject) { evidence.putPersonal(of: subject, into: object) }
}

/// An opt-out that was about no category.
struct OptOutDetails: AuditDetails {
  let optOut: StandingOptOut
  let evidence: Evidence
  let situation: Situation
  let subject: SubjectFacts

  func putFacts(into object: JSONObject) {
    object.put(unordered: evidence.facts)
    object.put("status", ConsentStatus.denied.rawValue)
    object.put("regulation", situation.regulation.id)
    object.put("method", optOut.method.rawValue)
    object.put("occurredAt", Timestamp(milliseconds: optOut.at))
    object.put("optedOut", true)
  }

  func putPersonal(into object: JSONObject) { evidence.putPersonal(of: subject, into: object) }
}
