// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts
internal import TimeZones

/// What an account says of its person, and how the app looks to them.
struct Profile: Codable, Sendable, Hashable {
  static let nameLimit = 200
  static let planLimit = 50

  var accountId: String
  var name: String
  var email: String
  var plan: String?
  var appearance: Appearance = .system
  var locale: String
  var timeZone: String
  var createdAt: Timestamp

  /// As the account's screen shows it.
  func account(revision: Int64, entryId: String? = nil) -> Account {
    Account(
      accountId: accountId, name: name, email: email, initials: Initials.of(name), plan: plan,
      avatar: Avatar(kind: .initials), appearance: appearance, locale: locale, timeZone: timeZone,
      createdAt: createdAt, revision: revision, entryId: entryId)
  }

  /// Which members `other` has otherwise, by their names on the wire.
  func differences(from other: Profile) -> [String] {
    var names: [String] = []
    if name != other.name { names.append("name") }
    if email != other.email { names.append("email") }
    if plan != other.plan { names.append("plan") }
    if appearance != other.appearance { names.append("appearance") }
    if locale != other.locale { names.append("locale") }
    if timeZone != other.timeZone { names.append("timeZone") }
    return names
  }

  /// - Throws: INVALID_PARAMS.
  static func checkedName(_ name: String, locale: String? = nil) throws(RPCError) -> String {
    try Text.line(name, "name", atMost: nameLimit, blank: PersonText.enterName.text(locale))
  }

  /// Nil for a plan that is empty: none.
  /// - Throws: INVALID_PARAMS.
  static func checkedPlan(_ plan: String) throws(RPCError) -> String? {
    plan.isEmpty ? nil : try Text.line(plan, "plan", atMost: planLimit)
  }

  /// - Throws: INVALID_PARAMS unless this machine knows the zone.
  static func checkedTimeZone(_ name: String) throws(RPCError) -> String {
    guard TimeZoneDatabase.system.zone(named: name) != nil else {
      throw .invalidParams("timeZone", "must be a zone of the IANA time zone database, such as Europe/Berlin")
    }
    return name
  }
}
