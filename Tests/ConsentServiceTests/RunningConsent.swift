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
import Threading

@testable import ConsentService

/// consent-service over the in-process transport, on a temporary store, with a clock that stands still, and with
/// neighbours that answer what it asks them.
final class RunningConsent: Sendable {
  let test: TestStore
  let clock = StandingClock()
  /// What `audit.entries` was asked, last.
  let asked = Lock<AuditEntriesParams?>(nil)
  private let ledger: Ledger
  private let client: RPCClient

  init() async throws {
    test = try TestStore(migrations: ConsentService.migrations)
    ledger = try await test.ledger(source: "consent-service", clock: clock)
    client = try await Self.start(ledger, asked)
  }

  /// Another replica on the same store, with caches of its own.
  func replica() async throws -> RPCClient { try await Self.start(ledger, asked) }

  private static func start(_ ledger: Ledger, _ asked: Lock<AuditEntriesParams?>) async throws -> RPCClient {
    let service = try await ConsentService(
      ServiceEnvironment(
        store: ledger.store, ledger: ledger, clock: ledger.clock, logger: .silent, peers: neighbours(asked),
        configuration: Configuration([:])))
    var router = MethodRouter()
    service.register(on: &router)
    let store = ledger.store
    let dispatcher = Dispatcher(router, title: "consent-service", onTurnEnded: { store.turnEnded() })
    return RPCClient(InProcessTransport(dispatcher), as: "test")
  }

  /// account-service and audit-service, as far as consent-service calls them. A device's token is `device:` and its id.
  private static func neighbours(_ asked: Lock<AuditEntriesParams?>) -> Peers {
    var account = MethodRouter()
    account.on(SessionMethods.verify) { params, context in
      guard params.token.hasPrefix("device:") || params.token.hasPrefix("user:") else {
        throw RPCError.unauthenticated("token: not good")
      }
      let isDevice = params.token.hasPrefix("device:")
      return VerifiedSession(
        principal: Principal(
          kind: isDevice ? .device : .user, app: context.app, accountId: isDevice ? nil : "somebody",
          deviceId: String(params.token.split(separator: ":")[1])),
        expiresAt: noon + days(1))
    }
    var audit = MethodRouter()
    audit.on(AuditMethods.entries) { params, context in
      asked.withLock { $0 = params }
      let entry = AuditEntry(
        entryId: "entry", index: 0, kind: "consent.decided", source: "consent-service", timestamp: noon,
        actor: context.principal.actor)
      return AuditPage(items: [entry])
    }
    return Peers(
      as: "consent-service",
      [
        "account-service": InProcessTransport(Dispatcher(account, title: "account-service")),
        "audit-service": InProcessTransport(Dispatcher(audit, title: "audit-service")),
      ])
  }

  func call<P, R>(
    _ method: Method<P, R>, _ params: P, as principal: Principal = .maya, key: String? = nil, gpc: Bool = false,
    locale: String? = nil
  ) async throws -> R {
    try await Self.call(client, method, params, as: principal, key: key, gpc: gpc, locale: locale)
  }

  static func call<P, R>(
    _ client: RPCClient, _ method: Method<P, R>, _ params: P, as principal: Principal = .maya, key: String? = nil,
    gpc: Bool = false, locale: String? = nil
  ) async throws -> R {
    try await client.call(
      method, params, deadline: .after(milliseconds: 20_000),
      CallMetadata(principal: principal, idempotencyKey: key, locale: locale, gpc: gpc ? true : nil))
  }

  /// The error that a call is refused with, or nil.
  func refusal<P, R>(
    _ method: Method<P, R>, _ params: P, as principal: Principal = .maya, key: String? = nil
  ) async -> RPCError? {
    do {
      _ = try await call(method, params, as: principal, key: key)
      return nil
    } catch {
      return error as? RPCError
    }
  }

  func get(as principal: Principal = .maya, _ params: ConsentGetParams = ConsentGetParams(), locale: String? = nil)
    async throws -> ConsentState
  { try await call(ConsentMethods.get, params, as: principal, locale: locale) }

  func decide(
    _ decisions: [String: Bool], version: Int = 1, as principal: Principal = .maya, account: String? = nil,
    decisionId: String? = nil, occurredAt: Timestamp? = nil, confirm: [ConsentConfirmation]? = nil, key: String? = nil
  ) async throws -> ConsentState {
    try await call(
      ConsentMethods.decide,
      ConsentDecideParams(
        accountId: account, policyVersion: version, decisions: decisions, method: .save, context: .app,
        decisionId: decisionId, occurredAt: occurredAt, confirm: confirm), as: principal, key: key)
  }

  func check(
    _ category: String, account: String? = "maya", device: String? = nil, as principal: Principal = .tracker
  ) async throws -> ConsentCheckResult {
    try await call(
      ConsentMethods.check, ConsentCheckParams(accountId: account, deviceId: device, category: category),
      as: principal)
  }

  func live(in country: String, _ subdivision: String? = nil, as principal: Principal = .maya) async throws {
    _ = try await call(
      ConsentMethods.setSubject, ConsentSetSubjectParams(country: country, subdivision: subdivision), as: principal)
  }

  /// The audit records left so far, oldest first.
  func records() async throws -> [AuditRecord] {
    let rows = try await test.store.read(
      SQLStatement("SELECT event FROM outbox WHERE app = 'default' ORDER BY position"))
    return try rows.flatMap { try JSON.decode(Event.self, from: $0.text(0)).records }
  }
}

/// A clock that stands still until told.
final class StandingClock: WallClock {
  private let time = Lock(noon)
  func now() -> Timestamp { time.withLock { $0 } }
  func advance(_ milliseconds: Int64) { time.withLock { $0 = $0 + milliseconds } }
}

extension Principal {
  static let maya = Principal(kind: .user, accountId: "maya", deviceId: "phone", generation: 1)
  static let phone = Principal(kind: .device, deviceId: "phone")
  static let tracker = Principal(kind: .key, name: "tracker", scopes: ["check"])
  static let agent = Principal(kind: .key, name: "desk", scopes: ["agent", "consent"])
  static let admin = Principal(kind: .key, name: "admin", role: "admin")
}

extension ConsentContext {
  static let app = ConsentContext(appVersion: "2.1.0", osVersion: "iOS 26", locale: "en", surface: "banner")
}

extension ConsentState {
  subscript(id: String) -> Category { categories.first { $0.id == id }! }
}
