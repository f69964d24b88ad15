// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// Where a person is and how old, as the record keeps it.
struct SubjectFacts: Codable, Sendable, Hashable {
  var country: String?
  var subdivision: String?
  var age: ConsentAgeBand?

  var ageBand: ConsentAgeBand { age ?? .unknown }
}

extension SubjectFacts: JSONObjectEncodable {
  func encode(into object: JSONObject) {
    object.put("country", country)
    object.put("subdivision", subdivision)
    object.put("age", age?.rawValue)
  }
}

/// The regulation that protects a person, and what of it applies.
struct Situation: Sendable {
  let regulation: Regulation
  let country: String?
  let ageBand: ConsentAgeBand
  /// Global Privacy Control counts here.
  let honorsGPC: Bool
  let gpcUses: UseSet
  /// What an opt-out is of.
  let optOutUses: UseSet

  /// The regulation wants a yes before anything optional happens.
  var needsOptIn: Bool {
    if regulation.mechanism == .optIn { return true }
    return regulation.optInBelow.map(ageBand.mayBeBelow) ?? false
  }

  /// Somebody else must decide for the person.
  func needsGuardian(at moment: Timestamp) -> Bool {
    ageBand.mayBeBelow(regulation.ownConsentAge(country: country, at: moment))
  }

  /// Uses that nobody's consent permits at this age.
  var barredUses: UseSet {
    guard let age = regulation.barredBelow, ageBand.mayBeBelow(age) else { return [] }
    return regulation.barredUses
  }
}
