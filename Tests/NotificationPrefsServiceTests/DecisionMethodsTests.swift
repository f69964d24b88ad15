// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import Events
import RPC
import RPCTesting
import SQLStore
import SettingsContracts
import StoreTesting
import Testing

@testable import NotificationPrefsService

@Suite("notifications.decide and decideMany")
struct DecisionMethodsTests {
  @Test("push to the devices where the account is signed in and the system shows it")
  func devices() async throws {
    let running = try await RunningNotifications()
    #expect(try await running.decide("messages", .push).reason == .notificationsNotDetermined)
    try await running.signInMaya()
    let all = try await running.decide("messages", .push)
    #expect(all.action == .deliver)
    #expect(
      all.devices == [
        .init(deviceId: "phone", authorization: .allowed), .init(deviceId: "tablet", authorization: .quiet),
      ])
    #expect(try await running.decide("messages", .push, device: "tablet").devices?.count == 1)
    #expect(try await running.decide("messages", .push, device: "watch").reason == .notificationsNotDetermined)
    try await running.deliver([.permission("phone", 2, "denied"), .permission("tablet", 2, "denied")])
    #expect(try await running.decide("messages", .push).reason == .notificationsDenied)
  }

  @Test("not to devices whose session ended, nor to those another account signed in on")
  func sessions() async throws {
    let running = try await RunningNotifications()
    try await running.signInMaya()
    try await running.deliver([.session(4, "session.ended", "s2", device: "tablet")])
    #expect(try await running.decide("messages", .push).devices?.map(\.deviceId) == ["phone"])
    try await running.deliver([
      .session(1, "session.started", "s9", device: "phone", account: "noor", at: "2026-01-11T12:00:00.000Z")
    ])
    #expect(try await running.decide("messages", .push).reason == .notificationsNotDetermined)
    #expect(try await running.decide("messages", .push, account: "noor").devices?.map(\.deviceId) == ["phone"])
    try await running.deliver([.session(2, "session.ended", "s9", device: "phone", account: "noor")])
    #expect(try await running.decide("messages", .push, account: "noor").action == .suppress)
    #expect(try await running.decide("messages", .push).action == .suppress, "Noor signed out, Maya did not sign in")
    try await running.deliver([.session(5, "session.started", "s3", device: "phone", at: "2026-01-12T12:00:00.000Z")])
    #expect(try await running.decide("messages", .push).devices?.map(\.deviceId) == ["phone"])
    try await running.deliver([.session(6, "session.ended", "s1", device: "phone")])
    #expect(try await running.decide("messages", .push).devices?.map(\.deviceId) == ["phone"], "an older session")
    try await running.deliver([.account(7, kind: "session.endedEverywhere")])
    #expect(try await running.decide("messages", .push).action == .suppress)
  }

  @Test("not by what arrives late: an older session's start does not bring its account back")
  func lateStart() async throws {
    let running = try await RunningNotifications()
    try await running.deliver([.permission("phone", 1, "allowed")])
    try await running.deliver([
      .session(1, "session.started", "s9", device: "phone", account: "noor", at: "2026-01-11T12:00:00.000Z"),
      .session(2, "session.ended", "s9", device: "phone", account: "noor", at: "2026-01-11T13:00:00.000Z"),
    ])
    try await running.deliver([.session(1, "session.started", "s1", device: "phone", at: "2026-01-10T12:00:00.000Z")])
    #expect(try await running.decide("messages", .push).action == .suppress)
  }

  @Test("not for an account that was deleted")
  func deleted() async throws {
    let running = try await RunningNotifications()
    try await running.update(digest: .off)
    try await running.test.store.write([SQLStatement("UPDATE subject_head SET state = 1")]) { _, _ in }
    let decide = NotificationDecideParams(accountId: "maya", category: "messages", channel: .email)
    #expect(try await running.refusal(NotificationMethods.decide, decide, as: .sender).code == .notFound)
    #expect(try await running.refusal(NotificationMethods.get, .init()).code == .notFound)
    #expect(
      try await running.refusal(NotificationMethods.update, .init(digest: .daily)).reason == "subjectDeleted")
    try await running.deliver([.account(1, kind: "account.updated", payload: ["locale": "de", "timeZone": "UTC"])])
    #expect(
      try await running.test.store.read(SQLStatement("SELECT COUNT(*) FROM notification_account"))[0].int(0) == 0)
  }

  @Test("by the person's zone, held until quiet hours end and delivered then")
  func quietHours() async throws {
    let running = try await RunningNotifications()
    try await running.signInMaya()
    try await running.update(quietHours: .init(isOn: true, to: TimeOfDay(hour: 8, minute: 0)))
    running.clock.set("2026-01-15T22:00:00.000Z")
    let held = try await running.decide("messages", .push)
    #expect(held.action == .hold)
    #expect(held.level == .quietHours)
    #expect(held.until == at("2026-01-16T07:00:00.000Z"))
    #expect(try await running.decide("messages", .push, at: held.until).action == .deliver)
  }

  @Test("by the account's zone of the moment, where quiet hours have none of their own")
  func movedZone() async throws {
    let running = try await RunningNotifications()
    try await running.signInMaya()
    try await running.update(quietHours: .init(isOn: true))
    running.clock.set("2026-01-15T12:00:00.000Z")
    #expect(try await running.decide("messages", .push).action == .deliver)
    try await running.deliver([
      .account(4, kind: "account.updated", payload: ["locale": "en", "timeZone": "Asia/Tokyo"])
    ])
    running.clock.set("2026-01-15T13:00:00.000Z")
    #expect(try await running.decide("messages", .push).action == .hold)
  }

  @Test("by e-mail in the weekly digest unless the person chose otherwise")
  func digest() async throws {
    let running = try await RunningNotifications()
    let decision = try await running.decide("messages", .email)
    #expect(decision.action == .digest)
    #expect(decision.reason == .weeklyDigest)
    #expect(decision.until == at("2026-01-19T09:00:00.000Z"))
    #expect(decision.devices == nil)
    try await running.update(digest: .off)
    #expect(try await running.decide("messages", .email).action == .deliver)
  }

  @Test("ask consent-service in this service's name, only where the answer depends on it")
  func consent() async throws {
    let running = try await RunningNotifications()
    try await running.publishExample()
    try await running.signInMaya()
    #expect(try await running.decide("offers", .push).reason == .consent)
    running.consents.grant("marketing")
    #expect(try await running.decide("offers", .push, device: "phone").action == .deliver)
    #expect(running.consents.asked.map(\.category) == ["marketing", "marketing"])
    #expect(running.consents.asked[1].deviceId == "phone")
    #expect(running.consents.callers.allSatisfy { $0.kind == .service && $0.name == "notification-prefs-service" })
    try await running.update(toggle: ["offers": false])
    #expect(try await running.decide("offers", .push).reason == .categoryOff)
    _ = try await running.decide("messages", .push)
    #expect(running.consents.asked.count == 2)
  }

  @Test("are UNAVAILABLE, never deliver, while consent-service cannot say")
  func consentUnavailable() async throws {
    let running = try await RunningNotifications()
    try await running.publishExample()
    try await running.signInMaya()
    running.consents.grant("marketing")
    running.consentTransport.setConnected(false)
    let error = try await running.refusal(
      NotificationMethods.decide, .init(accountId: "maya", category: "offers", channel: .push), as: .sender)
    #expect(error.code == .unavailable)
    #expect(error.reason == "consentUnavailable")
    #expect(error.retryable)
    #expect(try await running.decide("messages", .push).action == .deliver)
    running.consentTransport.setConnected(true)
    #expect(try await running.decide("offers", .push).action == .deliver)
  }

  @Test("are refused for good when consent-service does not have the category's consent")
  func unknownConsent() async throws {
    let running = try await RunningNotifications()
    var categories = Catalog.example.categories
    for index in categories.indices where categories[index].consentCategory != nil {
      categories[index].consentCategory = "unknown"
    }
    // consent-service does not answer when the catalog is published.
    _ = try await running.call(NotificationMethods.publishCatalog, .init(categories: categories), as: .admin)
    try await running.signInMaya()
    let error = try await running.refusal(
      NotificationMethods.decide, .init(accountId: "maya", category: "offers", channel: .push), as: .sender)
    #expect(error.code == .failedPrecondition && error.reason == "unknownConsentCategory" && !error.retryable)
    // It answers now.
    running.consents.know(["essential", "marketing"])
    categories[0].symbol = "bell"
    let refused = try await running.refusal(
      NotificationMethods.publishCatalog, .init(categories: categories), as: .admin)
    #expect(refused.code == .invalidParams && refused.field?.hasSuffix(".consentCategory") == true)
    #expect(
      refused.message.hasSuffix("consent-service has no category unknown; it has essential, marketing"))
    try await running.publishExample()
  }

  @Test("of many: each has its answer or its error, in order, from one call to consent-service")
  func many() async throws {
    let running = try await RunningNotifications()
    var categories = Catalog.example.categories
    categories.append(
      .init(
        id: "partners", texts: [.init(locale: "en", title: "Partners")], channels: [.push], defaultOn: [.push],
        consentCategory: "unknown"))
    _ = try await running.call(NotificationMethods.publishCatalog, .init(categories: categories), as: .admin)
    try await running.signInMaya()
    running.consents.grant("marketing")
    let questions: [(String, String, NotificationChannel)] = [
      ("maya", "messages", .push), ("maya", "productNews", .sms), ("maya", "offers", .push), ("maya", "none", .push),
      ("maya@example.com", "messages", .push), ("noor", "messages", .push), ("maya", "partners", .push),
      ("maya", "offers", .push),
    ]
    let results = try await running.call(
      NotificationMethods.decideMany,
      .init(decisions: questions.map { .init(accountId: $0.0, category: $0.1, channel: $0.2) }), as: .sender
    ).results
    #expect(
      results.map { $0.action?.rawValue ?? $0.error?.message ?? "" } == [
        "deliver", "channel: sms is not offered by productNews; it offers push, email", "deliver",
        "category: none is not in the catalog; it has messages, reminders, productNews, security, offers, partners",
        "accountId: must be 1 to 128 of A-Z a-z 0-9 . _ ~ : -", "suppress",
        "category: it needs the consent category unknown, which consent-service does not have", "deliver",
      ])
    #expect(results[1].error?.code == -32602)
    #expect(
      results[6].error?.data
        == .init(
          status: "FAILED_PRECONDITION", reason: "unknownConsentCategory", field: "category", retryable: false,
          processed: false))
    #expect(running.consents.asked.count == 1)
    let tooMany = [NotificationDecideParams](
      repeating: .init(accountId: "maya", category: "messages", channel: .push), count: 1001)
    #expect(
      try await running.refusal(NotificationMethods.decideMany, .init(decisions: tooMany), as: .sender).message
        == "decisions: 1001 are more than 1000")
    #expect(
      try await running.call(NotificationMethods.decideMany, .init(decisions: []), as: .sender).results.isEmpty)
  }

  @Test("are for keys with the scope decide")
  func callers() async throws {
    let running = try await RunningNotifications()
    let params = NotificationDecideParams(accountId: "maya", category: "messages", channel: .push)
    for principal in [Principal.maya, .agent, Principal(kind: .device, deviceId: "phone")] {
      #expect(
        try await running.refusal(NotificationMethods.decide, params, as: principal).code == .permissionDenied)
    }
    #expect(try await running.call(NotificationMethods.decide, params, as: .admin).action == .suppress)
  }
}

@Suite("events.deliver to notification-prefs-service")
struct EventIntakeTests {
  @Test("takes each event once and in order, and says where one is missing")
  func order() async throws {
    let running = try await RunningNotifications()
    #expect(try await running.deliver([.permission("phone", 1, "allowed")]) == [.applied])
    #expect(try await running.deliver([.permission("phone", 1, "allowed")]) == [.duplicate])
    #expect(try await running.deliver([.permission("phone", 3, "denied")]) == [.gap])
    #expect(try await running.get().authorization == .allowed)
    #expect(
      try await running.deliver([.permission("phone", 2, "limited"), .permission("phone", 3, "denied")])
        == [.applied, .applied])
    #expect(try await running.get().authorization == .denied)
  }

  @Test("takes a payload it cannot read as one without effect, so that what follows arrives")
  func unreadable() async throws {
    let running = try await RunningNotifications()
    var odd = Event.permission("phone", 1, "allowed")
    odd.payload = ["deviceId": 7]
    var unknown = Event.permission("phone", 2, "sometimes")
    unknown.payload = ["deviceId": "phone", "status": "sometimes", "at": "2026-01-10T12:00:00.000Z"]
    #expect(
      try await running.deliver([odd, unknown, .permission("phone", 3, "allowed")]) == [.applied, .applied, .applied])
    #expect(try await running.get().authorization == .allowed)
  }

  @Test("is for services, which deliver their own events only")
  func callers() async throws {
    let running = try await RunningNotifications()
    let params = DeliverParams(events: [.permission("phone", 1, "allowed")])
    #expect(try await running.refusal(EventMethods.deliver, params, as: .admin).code == .permissionDenied)
    #expect(
      try await running.refusal(EventMethods.deliver, params, as: Principal(kind: .service, name: "account-service"))
        .code == .permissionDenied)
  }
}
