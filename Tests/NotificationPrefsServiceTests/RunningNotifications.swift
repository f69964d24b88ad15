// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Configuration
import Events
import JSONRPC
import Logging
import RPC
import RPCTesting
import SQLStore
import ServiceKit
import SettingsContracts
import StoreTesting
import Synchronization
import Testing

@testable import NotificationPrefsService

/// notification-prefs-service on a store of its own, in this process, with a clock that tests set and a consent-service
/// that answers as they say.
final class RunningNotifications: Sendable {
  let test: TestStore
  let clock = TestClock()
  let consents = ConsentAnswers()
  let consentTransport: InProcessTransport
  private let client: RPCClient

  init() async throws {
    test = try TestStore(migrations: NotificationPrefsService.migrations)
    let store = test.store
    consentTransport = InProcessTransport(Dispatcher(consents.router(), title: "consent"))
    let service = try await NotificationPrefsService(
      ServiceEnvironment(
        store: store, ledger: try await test.ledger(source: NotificationPrefsService.name, clock: clock), clock: clock,
        logger: .silent, peers: Peers(as: NotificationPrefsService.name, ["consent-service": consentTransport]),
        configuration: Configuration([:])))
    var router = MethodRouter()
    service.register(on: &router)
    let dispatcher = Dispatcher(router, title: "notifications", onTurnEnded: { store.turnEnded() })
    client = RPCClient(InProcessTransport(dispatcher), as: "test")
  }

  func call<P, R>(
    _ method: Method<P, R>, _ params: P, as principal: Principal = .maya, key: String? = nil
  ) async throws -> R {
    try await client.call(
      method, params, deadline: .after(milliseconds: 10_000),
      CallMetadata(principal: principal, idempotencyKey: key))
  }

  func refusal<P, R>(_ method: Method<P, R>, _ params: P, as principal: Principal = .maya) async throws -> RPCError {
    do {
      _ = try await call(method, params, as: principal)
    } catch let error as RPCError {
      return error
    }
    throw Unexpected(message: "\(method.name) was not refused")
  }
  struct Unexpected: Error { var message: String }

  func get(as principal: Principal = .maya) async throws -> NotificationPreferencesResult {
    try await call(NotificationMethods.get, NotificationGetParams(), as: principal)
  }

  @discardableResult
  func update(
    set: [String: [String: Bool]]? = nil, toggle: [String: Bool]? = nil, quietHours: QuietHoursChange? = nil,
    digest: NotificationDigest? = nil
  ) async throws -> NotificationPreferencesResult {
    try await call(
      NotificationMethods.update, .init(set: set, toggle: toggle, quietHours: quietHours, digest: digest))
  }

  func decide(
    _ category: String, _ channel: NotificationChannel, device: String? = nil, at: Timestamp? = nil,
    account: String = "maya"
  ) async throws -> NotificationDecision {
    try await call(
      NotificationMethods.decide,
      .init(accountId: account, category: category, channel: channel, deviceId: device, at: at), as: .sender)
  }

  @discardableResult
  func deliver(_ events: [Event]) async throws -> [Acceptance] {
    try await call(
      EventMethods.deliver, DeliverParams(events: events), as: Principal(kind: .service, name: events[0].source)
    ).outcomes
  }

  /// Publishes the catalog of the examples.
  func publishExample() async throws {
    _ = try await call(
      NotificationMethods.publishCatalog, .init(categories: Catalog.example.categories), as: .admin)
  }

  /// Maya, in Berlin, signed in on two devices: one allows notifications, the other shows them quietly.
  func signInMaya() async throws {
    try await deliver([
      .account(1, kind: "account.created", payload: ["locale": "en", "timeZone": "Europe/Berlin"]),
      .session(2, "session.started", "s1", device: "phone"), .session(3, "session.started", "s2", device: "tablet"),
    ])
    try await deliver([.permission("phone", 1, "allowed"), .permission("tablet", 1, "limited")])
  }

  func records() async throws -> [AuditRecord] {
    try await test.store.read(SQLStatement("SELECT event FROM outbox ORDER BY position"))
      .flatMap { try JSON.decode(Event.self, from: $0.text(0)).records }
  }
}

/// What consent-service says here, and what it was asked.
final class ConsentAnswers: Sendable {
  private let state = Mutex<(granted: Set<String>, asked: [ConsentCheckParams], callers: [Principal])>(([], [], []))
  private let known = Mutex<[String]?>(nil)
  /// The categories there are; before that it does not say.
  func know(_ categories: [String]) { known.withLock { $0 = categories } }
  func grant(_ category: String) { state.withLock { _ = $0.granted.insert(category) } }
  var asked: [ConsentCheckParams] { state.withLock { $0.asked } }
  var callers: [Principal] { state.withLock { $0.callers } }

  func router() -> MethodRouter {
    var router = MethodRouter()
    router.on(ConsentMethods.catalog) { _, _ in
      guard let known = self.known.withLock({ $0 }) else { throw RPCError.unavailable("away", reason: "away") }
      return ConsentCatalog(
        policyVersion: 1, publishedAt: at("2026-01-01T00:00:00.000Z"),
        notice: ConsentNotice(title: "t", text: "t", hash: "h", locale: "en"),
        categories: known.map {
          .init(
            id: $0, displayName: $0, explanation: $0, required: false, legalBasis: "consent", uses: [],
            recipients: nil, retention: nil, regulations: nil)
        }, regulations: [], maxAgeDays: nil, reAskDays: nil, locales: ["en"], revision: 1)
    }
    router.on(ConsentMethods.check) { params, context in
      if params.category == "unknown" { throw RPCError.invalidParams("category", "unknown") }
      return self.answer(params, context)
    }
    router.on(ConsentMethods.checkMany) { params, context in
      ConsentCheckManyResult(
        results: params.checks.map { check in
          check.category == "unknown"
            ? .init(error: .init(.invalidParams("category", "unknown"))) : .init(self.answer(check, context))
        })
    }
    return router
  }

  private func answer(_ check: ConsentCheckParams, _ context: CallContext) -> ConsentCheckResult {
    state.withLock { state in
      state.asked.append(check)
      state.callers.append(context.principal)
      let allowed = state.granted.contains(check.category)
      return ConsentCheckResult(allowed: allowed, reason: allowed ? .granted : .denied)
    }
  }
}

/// A clock that stands until it is moved.
final class TestClock: WallClock {
  private let time = Mutex(at("2026-01-15T12:00:00.000Z"))
  func now() -> Timestamp { time.withLock { $0 } }
  func set(_ text: String) { time.withLock { $0 = at(text) } }
}

extension Principal {
  static let admin = Principal(kind: .key, name: "root", role: "admin")
  static let sender = Principal(kind: .key, name: "sender", scopes: ["decide"])
  static let agent = Principal(kind: .key, name: "desk", scopes: ["agent"])
  static let maya = Principal(kind: .user, accountId: "maya", deviceId: "phone", generation: 1)
  static let noor = Principal(kind: .user, accountId: "noor", deviceId: "watch", generation: 1)
}

extension Event {
  static func account(
    _ seq: Int64, kind: String, payload: JSONValue? = nil, personal: [String: JSONValue] = [:],
    account: String = "maya", at time: String = "2026-01-10T12:00:00.000Z", generation: Int64 = 1
  ) -> Event {
    let entryId = "acc-\(account)-\(seq)"
    return Event(
      source: "account-service", epoch: "e1", app: "default", subject: "a:\(account)", generation: generation,
      seq: seq, entryId: entryId, kind: kind,
      records: [
        AuditRecord(
          entryId: entryId, kind: kind, timestamp: NotificationPrefsServiceTests.at(time), facts: [:],
          personal: personal)
      ],
      payload: payload)
  }

  static func session(
    _ seq: Int64, _ kind: String, _ sessionId: String, device: String, account: String = "maya",
    at time: String = "2026-01-10T12:00:00.000Z"
  ) -> Event {
    .account(
      seq, kind: kind, personal: ["sessionId": .string(sessionId), "deviceId": .string(device)], account: account,
      at: time)
  }

  static func permission(_ device: String, _ seq: Int64, _ status: String) -> Event {
    let entryId = "per-\(device)-\(seq)"
    return Event(
      source: "permission-service", epoch: "e1", app: "default", subject: "d:\(device)", generation: 1, seq: seq,
      entryId: entryId, kind: "permission.changed", records: [],
      payload: [
        "deviceId": .string(device), "status": .string(status), "at": "2026-01-10T12:00:00.000Z",
      ])
  }
}
