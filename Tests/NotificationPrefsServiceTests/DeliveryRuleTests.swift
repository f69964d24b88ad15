// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import SettingsContracts
import Testing
import TimeZones

@testable import NotificationPrefsService

@Suite("Delivery rule")
struct DeliveryRuleTests {
  private static let noon = "2026-01-15T12:00:00.000Z"

  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var category = "messages"
    var channel = NotificationChannel.push
    var choices: [String: [NotificationChannel]] = [:]
    var hours: QuietHours?
    var digest = NotificationDigest.off
    var devices: [NotificationAuthorization] = [.allowed]
    var consent = true
    var zone = "UTC"
    var now = noon
    var expected: NotificationDecision
    var testDescription: String { name }
  }

  private static func devices(_ authorizations: [NotificationAuthorization]) -> [NotificationDecision.Device] {
    authorizations.enumerated().map { .init(deviceId: "device-\($0.offset)", authorization: $0.element) }
  }
  private static let one = devices([.allowed])

  static let table = [
    Case(
      name: "on by default", expected: .init(action: .deliver, reason: .channelOn, level: .catalog, devices: one)),
    Case(
      name: "on by choice", choices: ["messages": [.push]],
      expected: .init(action: .deliver, reason: .channelOn, level: .category, devices: one)),
    Case(
      name: "off by default", category: "productNews",
      expected: .init(action: .suppress, reason: .categoryOff, level: .catalog)),
    Case(
      name: "off by choice", choices: ["messages": []],
      expected: .init(action: .suppress, reason: .categoryOff, level: .category)),
    Case(
      name: "another channel on", choices: ["messages": [.email]],
      expected: .init(action: .suppress, reason: .channelOff, level: .category)),
    Case(
      name: "another channel on by default", category: "reminders", channel: .email,
      expected: .init(action: .suppress, reason: .channelOff, level: .catalog)),
    Case(
      name: "denied by the system", devices: [.denied, .notDetermined],
      expected: .init(action: .suppress, reason: .notificationsDenied, level: .device)),
    Case(
      name: "never asked", devices: [.notDetermined],
      expected: .init(action: .suppress, reason: .notificationsNotDetermined, level: .device)),
    Case(
      name: "no device", devices: [],
      expected: .init(action: .suppress, reason: .notificationsNotDetermined, level: .device)),
    Case(
      name: "some devices", devices: [.denied, .quiet, .allowed],
      expected: .init(
        action: .deliver, reason: .channelOn, level: .catalog,
        devices: [
          .init(deviceId: "device-1", authorization: .quiet), .init(deviceId: "device-2", authorization: .allowed),
        ])),
    Case(
      name: "e-mail, whatever the devices say", channel: .email, devices: [],
      expected: .init(action: .deliver, reason: .channelOn, level: .catalog)),
    Case(
      name: "consent given", category: "offers",
      expected: .init(action: .deliver, reason: .channelOn, level: .catalog, devices: one)),
    Case(
      name: "consent not given", category: "offers", consent: false,
      expected: .init(action: .suppress, reason: .consent, level: .consent)),
    Case(
      name: "choice before consent", category: "offers", choices: ["offers": []], consent: false,
      expected: .init(action: .suppress, reason: .categoryOff, level: .category)),
    Case(
      name: "22:00 to 08:00 at 23:00", hours: quiet("22:00", "08:00"), now: "2026-01-15T23:00:00.000Z",
      expected: .init(
        action: .hold, until: at("2026-01-16T08:00:00.000Z"), reason: .quietHours, level: .quietHours, devices: one)),
    Case(
      name: "the same, decided again at its end", hours: quiet("22:00", "08:00"), now: "2026-01-16T08:00:00.000Z",
      expected: .init(action: .deliver, reason: .channelOn, level: .catalog, devices: one)),
    Case(
      name: "a millisecond before its end", hours: quiet("22:00", "08:00"), now: "2026-01-16T07:59:59.999Z",
      expected: .init(
        action: .hold, until: at("2026-01-16T08:00:00.000Z"), reason: .quietHours, level: .quietHours, devices: one)),
    Case(
      name: "Wednesday 22:00 in Tokyo, whatever the server's zone", hours: quiet("21:00", "23:00"), zone: "Asia/Tokyo",
      now: "2024-01-03T13:00:00.000Z",
      expected: .init(
        action: .hold, until: at("2024-01-03T14:00:00.000Z"), reason: .quietHours, level: .quietHours, devices: one)),
    Case(
      name: "equal ends are never quiet", hours: quiet("12:00", "12:00"),
      expected: .init(action: .deliver, reason: .channelOn, level: .catalog, devices: one)),
    Case(
      name: "denied before held", hours: quiet("00:00", "23:59"), devices: [.denied],
      expected: .init(action: .suppress, reason: .notificationsDenied, level: .device)),
    Case(
      name: "e-mail is held too", channel: .email, hours: quiet("11:00", "13:00"),
      expected: .init(
        action: .hold, until: at("2026-01-15T13:00:00.000Z"), reason: .quietHours, level: .quietHours)),
    Case(
      name: "e-mail into the daily digest", channel: .email, digest: .daily,
      expected: .init(
        action: .digest, until: at("2026-01-16T09:00:00.000Z"), reason: .dailyDigest, level: .digest)),
    Case(
      name: "e-mail into the weekly digest", channel: .email, digest: .weekly,
      expected: .init(
        action: .digest, until: at("2026-01-19T09:00:00.000Z"), reason: .weeklyDigest, level: .digest)),
    Case(
      name: "a digest that falls into quiet hours", channel: .email, hours: quiet("22:00", "10:30"), digest: .daily,
      expected: .init(
        action: .digest, until: at("2026-01-16T10:30:00.000Z"), reason: .dailyDigest, level: .digest)),
    Case(
      name: "push knows no digest", digest: .daily,
      expected: .init(action: .deliver, reason: .channelOn, level: .catalog, devices: one)),
    Case(
      name: "critical passes quiet hours", category: "security", hours: quiet("11:00", "13:00"),
      expected: .init(action: .deliver, reason: .critical, level: .catalog, devices: one)),
    Case(
      name: "critical passes the digest", category: "security", channel: .email, digest: .weekly,
      expected: .init(action: .deliver, reason: .critical, level: .catalog)),
    Case(
      name: "critical cannot pass the system", category: "security", devices: [.denied],
      expected: .init(action: .suppress, reason: .notificationsDenied, level: .device)),
    Case(
      name: "critical on the channel that is left", category: "security", choices: ["security": [.email]],
      expected: .init(action: .suppress, reason: .channelOff, level: .category)),
    Case(
      name: "critical that was turned off before it became so", category: "security", choices: ["security": []],
      expected: .init(action: .deliver, reason: .critical, level: .catalog, devices: one)),
  ]

  @Test("decides, and says why and on whose word", arguments: table)
  func decides(_ example: Case) throws {
    var preferences = Preferences.standard
    for (id, on) in example.choices { preferences.choices[id] = .init(on: on) }
    if let hours = example.hours { preferences.quietHours = hours }
    preferences.digest = example.digest
    let rule = DeliveryRule(
      preferences: preferences, category: try #require(Catalog.example[example.category]), channel: example.channel,
      devices: Self.devices(example.devices), zone: try zone(example.zone))
    #expect(rule.decide(consent: example.consent, now: at(example.now)) == example.expected)
  }

  @Test("asks for consent only where the answer depends on it")
  func neededConsent() throws {
    func needed(_ id: String, _ choices: [String: Preferences.Choice]) throws -> String? {
      var preferences = Preferences.standard
      preferences.choices = choices
      return DeliveryRule(
        preferences: preferences, category: try #require(Catalog.example[id]), channel: .push, devices: [], zone: .utc
      ).neededConsent
    }
    #expect(try needed("offers", [:]) == "marketing")
    #expect(try needed("offers", ["offers": .init(on: [])]) == nil)
    #expect(try needed("messages", [:]) == nil)
  }
}
