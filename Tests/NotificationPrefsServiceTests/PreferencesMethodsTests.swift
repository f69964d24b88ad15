// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Events
import JSONRPC
import RPC
import SettingsContracts
import Testing

@testable import NotificationPrefsService

@Suite("notifications.get, save and update")
struct PreferencesMethodsTests {
  /// What a screen sends back of what it got.
  private func screen(
    _ result: NotificationPreferencesResult, _ edit: (inout NotificationSaveParams.Preferences) -> Void = { _ in }
  ) -> NotificationSaveParams.Preferences {
    var preferences = NotificationSaveParams.Preferences(
      categories: result.categories.map { .init(id: $0.id, on: $0.on) }, quietHours: result.quietHours,
      digest: result.digest)
    edit(&preferences)
    return preferences
  }

  @Test("show the defaults to somebody who chose nothing")
  func defaults() async throws {
    let running = try await RunningNotifications()
    let result = try await running.get()
    #expect(result.revision == 0)
    #expect(result.categories.map(\.id) == ["messages", "reminders", "productNews"])
    #expect(result.categories.map(\.on) == [[.push, .email], [.push], []])
    #expect(result.categories.map(\.isOn) == [true, true, false])
    #expect(result.categories.map(\.channels) == [[.push, .email, .sms], [.push, .email, .sms], [.push, .email]])
    #expect(!result.quietHours.isOn)
    #expect(result.quietHours.timeZone == "UTC")
    #expect(result.digest == .weekly)
    #expect(result.authorization == .notDetermined)
    #expect(result.status.title == "Notifications are off")
    #expect(result.status.action == .turnOn)
  }

  @Test(
    "show the status of this device",
    arguments: [
      ("allowed", "Allowed", nil), ("limited", "Delivered quietly", .turnOn),
      ("denied", "Turned off in Settings", .openSettings), ("notAsked", "Notifications are off", .turnOn),
    ] as [(String, String, NotificationStatusAction?)])
  func status(permission: String, title: String, action: NotificationStatusAction?) async throws {
    let running = try await RunningNotifications()
    try await running.deliver([.permission("phone", 1, permission)])
    let result = try await running.get()
    #expect(result.status.title == title)
    #expect(result.status.action == action)
    #expect(try await running.get(as: .noor).authorization == .notDetermined)
  }

  @Test("show a device that signed in and was never heard of as one that was not asked")
  func signedInOnly() async throws {
    let running = try await RunningNotifications()
    try await running.deliver([.session(1, "session.started", "s1", device: "phone")])
    #expect(try await running.get().authorization == .notDetermined)
    #expect(try await running.update(digest: .off).authorization == .notDetermined)
    #expect(try await running.decide("messages", .push).reason == .notificationsNotDetermined)
  }

  @Test("follow the account's zone and language")
  func account() async throws {
    let running = try await RunningNotifications()
    try await running.signInMaya()
    #expect(try await running.get().quietHours.timeZone == "Europe/Berlin")
    try await running.deliver([
      .account(4, kind: "account.updated", payload: ["locale": "de", "timeZone": "Asia/Tokyo"])
    ])
    #expect(try await running.get().quietHours.timeZone == "Asia/Tokyo")
  }

  @Test("save the whole, ignore what is only shown, and say so once")
  func save() async throws {
    let running = try await RunningNotifications()
    let before = try await running.get()
    var preferences = screen(before) {
      $0.categories[0].on = [.sms]
      $0.quietHours.isOn = true
      $0.digest = .off
    }
    preferences.categories[0].title = "another title"
    preferences.categories[0].channels = 7
    preferences.status = ["title": "x"]
    let saved = try await running.call(
      NotificationMethods.save, .init(preferences: preferences, revision: before.revision))
    #expect(saved.revision == 1)
    #expect(saved.entryId != nil)
    #expect(saved.categories.map(\.on) == [[.sms], [.push], []])
    #expect(saved.categories[0].title == "Messages")
    #expect(saved.quietHours.isOn)
    #expect(saved.digest == .off)
    let again = try await running.call(NotificationMethods.save, .init(preferences: preferences))
    #expect(again.revision == 1)
    #expect(again.entryId == nil)
    let read = try await running.get()
    #expect(read.revision == 1)
    #expect(read.categories.map(\.on) == saved.categories.map(\.on))
  }

  @Test("leave a record for each thing that changed, quiet hours' times sealed")
  func records() async throws {
    let running = try await RunningNotifications()
    let result = try await running.update(
      set: ["messages": ["sms": true]], quietHours: .init(isOn: true, timeZone: "Asia/Tokyo"), digest: .daily)
    let records = try await running.records()
    #expect(records.map(\.kind) == ["notifications.changed", "notifications.quietHours", "notifications.digest"])
    #expect(records[0].entryId == result.entryId)
    #expect(records[0].facts == ["category": "messages", "status": "on", "channels": ["push", "email", "sms"]])
    #expect(records[1].facts == ["status": "on"])
    #expect(records[1].personal["from"] == "22:00")
    #expect(records[1].personal["timeZone"] == "Asia/Tokyo")
    #expect(records[2].facts == ["status": "daily"])
    #expect(records.allSatisfy { $0.personal["accountId"] == "maya" && $0.personal["actor"] == "person" })
  }

  @Test("refuse a save that started from what is no longer so, and give what is")
  func stale() async throws {
    let running = try await RunningNotifications()
    let before = try await running.get()
    try await running.update(digest: .daily)
    let error = try await running.refusal(
      NotificationMethods.save, .init(preferences: screen(before), revision: before.revision))
    #expect(error.code == .aborted)
    #expect(error.reason == "staleRevision")
    #expect(!error.retryable)
    #expect(error.details["current"]?["revision"] == 1)
    #expect(error.details["current"]?["digest"] == "daily")
    #expect(error.details["current"]?["categories"]?.arrayValue?.count == 3)
    #expect(try await running.get().revision == 1)
  }

  @Test("toggle as the account screen does, and remember the channels")
  func toggle() async throws {
    let running = try await RunningNotifications()
    try await running.update(set: ["messages": ["push": false, "sms": true]])
    #expect(try await running.update(toggle: ["messages": false]).categories[0].isOn == false)
    #expect(try await running.update(toggle: ["messages": true]).categories[0].on == [.email, .sms])
    #expect(try await running.update(toggle: ["productNews": true]).categories[2].on == [.push])
    let same = try await running.update(toggle: ["productNews": true])
    #expect(same.entryId == nil)
    #expect(same.revision == 4)
  }

  @Test("keep two toggles of two callers, whatever their order")
  func concurrent() async throws {
    let running = try await RunningNotifications()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (id, isOn) in [("messages", false), ("reminders", false), ("productNews", true)] {
        group.addTask { try await running.update(toggle: [id: isOn]) }
      }
      try await group.waitForAll()
    }
    let result = try await running.get()
    #expect(result.revision == 3)
    #expect(result.categories.map(\.isOn) == [false, false, true])
  }

  @Test("refuse a zone that is none")
  func zone() async throws {
    let running = try await RunningNotifications()
    for name in ["Mars/Base", "../../etc/passwd", "", "localtime"] {
      let error = try await running.refusal(
        NotificationMethods.update, .init(quietHours: .init(timeZone: name)))
      #expect(error.message == "quietHours.timeZone: must be an IANA time zone name, such as Europe/Berlin")
      #expect(error.field == "quietHours.timeZone")
    }
    let before = try await running.get()
    let error = try await running.refusal(
      NotificationMethods.save, .init(preferences: screen(before) { $0.quietHours.timeZone = "Nowhere" }))
    #expect(error.field == "preferences.quietHours.timeZone")
  }

  @Test("hold a critical category on and show it locked")
  func critical() async throws {
    let running = try await RunningNotifications()
    try await running.publishExample()
    let before = try await running.get()
    #expect(before.categories.map(\.locked) == [nil, nil, nil, true, nil])
    let error = try await running.refusal(
      NotificationMethods.save, .init(preferences: screen(before) { $0.categories[3].on = [] }))
    #expect(error.code == .failedPrecondition)
    #expect(error.reason == "criticalCategory")
    #expect(try await running.get().revision == 0)
  }

  @Test("are a person's own; an agent may update and any key may read, and they name the account")
  func callers() async throws {
    let running = try await RunningNotifications()
    #expect(
      try await running.refusal(NotificationMethods.get, .init(accountId: "noor")).code == .permissionDenied)
    #expect(
      try await running.refusal(NotificationMethods.update, .init(digest: .off), as: .sender).code
        == .permissionDenied)
    #expect(
      try await running.refusal(NotificationMethods.update, .init(digest: .off), as: .agent).message
        == "accountId: missing; a key names the account")
    _ = try await running.call(NotificationMethods.update, .init(accountId: "maya", digest: .off), as: .agent)
    #expect(try await running.records().first?.personal["actor"] == "key:desk")
    #expect(
      try await running.call(NotificationMethods.get, .init(accountId: "maya"), as: .sender).digest == .off)
    let device = Principal(kind: .device, deviceId: "phone")
    #expect(try await running.refusal(NotificationMethods.get, .init(), as: device).code == .permissionDenied)
  }

  @Test("show a key the most willing of the account's devices, or the one it names")
  func keyAuthorization() async throws {
    let running = try await RunningNotifications()
    try await running.signInMaya()
    let get = NotificationMethods.get
    #expect(try await running.call(get, .init(accountId: "maya"), as: .sender).authorization == .allowed)
    #expect(
      try await running.call(get, .init(accountId: "maya", deviceId: "tablet"), as: .sender).authorization == .quiet)
    #expect(try await running.call(get, .init(accountId: "noor"), as: .sender).authorization == .notDetermined)
    let others = try await running.call(get, .init(accountId: "noor", deviceId: "phone"), as: .sender)
    #expect(others.authorization == .notDetermined)
  }
}
