// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import SettingsContracts
import Testing

@testable import NotificationPrefsService

@Suite("Preferences")
struct PreferencesTests {
  private let catalog = Catalog.example
  private func on(_ preferences: Preferences, _ id: String) -> [NotificationChannel] { preferences.on(catalog[id]!) }

  private func update(_ preferences: Preferences, _ change: NotificationUpdateParams) throws -> Preferences {
    try preferences.updating(change, catalog, accountZone: "Europe/Berlin")
  }
  private func save(_ categories: [NotificationSaveParams.Category]) throws -> Preferences {
    try Preferences.standard.saving(
      .init(categories: categories, quietHours: quiet("22:00", "07:00"), digest: .daily), catalog,
      accountZone: "Europe/Berlin")
  }

  @Test("are by default what the catalog says")
  func standard() {
    #expect(on(.standard, "messages") == [.push, .email])
    #expect(on(.standard, "reminders") == [.push])
    #expect(on(.standard, "productNews") == [])
    #expect(on(.standard, "security") == [.push, .email])
    #expect(Preferences.standard.digest == .weekly)
    #expect(!Preferences.standard.quietHours.isOn)
    #expect(Preferences.standard.quietHours.from == TimeOfDay(hour: 22, minute: 0))
    #expect(Preferences.standard.quietHours.to == TimeOfDay(hour: 7, minute: 0))
  }

  @Test("toggled off and on come back as they were")
  func memory() throws {
    var preferences = try update(.standard, .init(set: ["messages": ["push": false, "sms": true]]))
    #expect(on(preferences, "messages") == [.email, .sms])
    preferences = try update(preferences, .init(toggle: ["messages": false]))
    #expect(on(preferences, "messages") == [])
    let again = try update(preferences, .init(toggle: ["messages": false]))
    #expect(again == preferences)
    preferences = try update(preferences, .init(toggle: ["messages": true]))
    #expect(on(preferences, "messages") == [.email, .sms])
    #expect(try update(preferences, .init(toggle: ["messages": true])) == preferences)
  }

  @Test("toggled on without a memory turn on the first channel offered")
  func firstOffered() throws {
    #expect(on(try update(.standard, .init(toggle: ["productNews": true])), "productNews") == [.push])
    let off = try update(.standard, .init(set: ["messages": ["push": false, "email": false]]))
    #expect(on(try update(off, .init(toggle: ["messages": true])), "messages") == [.push])
  }

  @Test("remember through a save of the screen, until something is on")
  func memoryThroughSave() throws {
    let off = try update(.standard, .init(toggle: ["messages": false]))
    let saved = try off.saving(
      .init(categories: [.init(id: "messages", on: [])], quietHours: quiet("22:00", "07:00"), digest: .off), catalog,
      accountZone: "UTC")
    #expect(on(try update(saved, .init(toggle: ["messages": true])), "messages") == [.push, .email])
    let changed = try update(off, .init(set: ["messages": ["sms": true]]))
    #expect(changed.choices["messages"] == .init(on: [.sms]))
  }

  @Test("never show a channel that the app stopped offering, nor bring it back")
  func withdrawnChannel() throws {
    var fewer = Catalog.example
    fewer.categories[0].channels = [.push]
    var preferences = Preferences.standard
    preferences.choices["messages"] = .init(on: [.email])
    #expect(preferences.on(fewer.categories[0]) == [])
    preferences.choices["messages"] = .init(on: [], remembered: [.email])
    preferences.toggle(fewer.categories[0], true)
    #expect(preferences.on(fewer.categories[0]) == [.push])
  }

  @Test("saved whole are chosen, in display order; a category left out stays")
  func saved() throws {
    let saved = try save([.init(id: "messages", on: [.sms, .push])])
    #expect(on(saved, "messages") == [.push, .sms])
    #expect(saved.isChosen(catalog["messages"]!))
    #expect(!saved.isChosen(catalog["reminders"]!))
    #expect(on(saved, "reminders") == [.push])
    #expect(saved.digest == .daily)
    #expect(saved.quietHours == quiet("22:00", "07:00"))
  }

  @Test("follow the account's zone where the screen sends it back")
  func accountZone() throws {
    let own = try update(.standard, .init(quietHours: .init(timeZone: "Asia/Tokyo")))
    #expect(own.quietHours.timeZone == "Asia/Tokyo")
    #expect(try update(own, .init(quietHours: .init(timeZone: "Europe/Berlin"))).quietHours.timeZone == nil)
  }

  @Test("merge quiet hours and digest into what is there")
  func merge() throws {
    let change = NotificationUpdateParams(
      quietHours: .init(isOn: true, to: TimeOfDay(hour: 6, minute: 30)), digest: .off)
    let merged = try update(.standard, change)
    #expect(merged.quietHours == quiet("22:00", "06:30"))
    #expect(merged.digest == .off)
    #expect(merged.choices.isEmpty)
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    var set: [String: [String: Bool]]?
    var toggle: [String: Bool]?
    var code = ErrorCode.invalidParams
    var message: String
    var testDescription: String { message }
  }

  @Test(
    "refuse single changes that cannot be, and name them",
    arguments: [
      Refusal(
        set: ["productNews": ["sms": true]],
        message: "set.productNews.sms: sms is not offered by productNews; it offers push, email"),
      Refusal(
        set: ["nothing": ["sms": true]],
        message: "set: nothing is not in the catalog; it has messages, reminders, productNews, security, offers"),
      Refusal(
        set: ["not an id": ["sms": true]],
        message: "set: the category is not in the catalog; it has messages, reminders, productNews, security, offers"),
      Refusal(
        set: ["productNews": ["pigeon": true]],
        message: "set.productNews.pigeon: pigeon is not offered by productNews; it offers push, email"),
      Refusal(
        set: ["productNews": ["not a word": true]],
        message: "set.productNews: the channel is not offered by productNews; it offers push, email"),
      Refusal(
        toggle: ["nothing": true],
        message: "toggle: nothing is not in the catalog; it has messages, reminders, productNews, security, offers"),
      Refusal(
        set: ["messages": ["sms": true]], toggle: ["messages": false],
        message: "toggle.messages: messages is in set as well"),
      Refusal(
        toggle: ["security": false], code: .failedPrecondition,
        message: "toggle.security: security is critical and cannot be turned off"),
      Refusal(
        set: ["security": ["push": false, "email": false]], code: .failedPrecondition,
        message: "set.security: security is critical and cannot be turned off"),
    ])
  func refused(_ example: Refusal) {
    let error = #expect(throws: RPCError.self) {
      try update(.standard, .init(set: example.set, toggle: example.toggle))
    }
    #expect(error?.code == example.code)
    #expect(error?.message == example.message)
  }

  @Test("let a critical category lose a channel, but not its last")
  func critical() throws {
    #expect(on(try update(.standard, .init(set: ["security": ["push": false]])), "security") == [.email])
  }

  @Test("refuse a screen that cannot be, and name what is wrong")
  func refusedSave() {
    let cases: [([NotificationSaveParams.Category], ErrorCode, String)] = [
      (
        [.init(id: "productNews", on: [.push, .sms])], .invalidParams,
        "preferences.categories[0].on[1]: sms is not offered by productNews; it offers push, email"
      ),
      (
        [.init(id: "messages", on: []), .init(id: "messages", on: [])], .invalidParams,
        "preferences.categories[1].id: messages is listed twice"
      ),
      (
        [.init(id: "messages", on: [.push, .push])], .invalidParams,
        "preferences.categories[0].on[1]: push is listed twice"
      ),
      (
        [.init(id: "security", on: [])], .failedPrecondition,
        "preferences.categories[0].on: security is critical and cannot be turned off"
      ),
    ]
    for (categories, code, message) in cases {
      let error = #expect(throws: RPCError.self) { try save(categories) }
      #expect(error?.code == code)
      #expect(error?.message == message)
    }
  }
}
