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

  /// What may say something about the person.
  func putPersonal(of subject: SubjectFacts, into object: JSONObject) {
    object.put(unordered: personal)
    object.put("appVersion", context?.appVersion)
    object.put("osVersion", context?.osVersion)
    object.put("locale", context?.locale)
    object.put("surface", context?.surface)
    object.put("surfaceVersion", context?.surfaceVersion)
    object.put("country", subject.country)
    object.put("subdivision", subject.subdivision)
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
