// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import AccountService
import Configuration
import Events
import Glibc
import JSONRPC
import Logging
import RPC
import RPCTesting
import SQLStore
import ServiceKit
import SettingsContracts
import StoreTesting
import Testing
import Threading

/// A clock that stands still until told.
final class StandingClock: WallClock {
  private let time: Lock<Int64>
  init(milliseconds: Int64) { time = Lock(milliseconds) }
  func now() -> Timestamp { Timestamp(milliseconds: time.withLock { $0 }) }
  func advance(milliseconds: Int64) { time.withLock { $0 += milliseconds } }
}

/// The whole service in this process: real store, dispatcher and transport.
final class RunningAccountService: Sendable {
  let store: TestStore
  let clock = StandingClock(milliseconds: 1_800_000_000_000)
  let credentialsPath: String
  private let client: RPCClient

  init(demo: Bool = false, on store: TestStore? = nil) async throws {
    self.store = try store ?? TestStore(migrations: AccountService.migrations)
    credentialsPath = self.store.folder + "/credentials.json"
    let ledger = try await self.store.ledger(
      source: AccountService.name, subscribers: AccountService.subscribers, clock: clock)
    let service = try await AccountService(
      ServiceEnvironment(
        store: self.store.store, ledger: ledger, clock: clock, logger: .silent, peers: Peers(as: "test", [:]),
        configuration: Configuration([
          "ASSENT_DATA_DIR": self.store.folder, "ASSENT_BOOTSTRAP_CREDENTIALS": credentialsPath,
          "ASSENT_DEMO": demo ? "1" : "0",
        ])))
    try await service.begin()
    var router = MethodRouter()
    service.register(on: &router)
    let opened = self.store.store
    client = RPCClient(
      InProcessTransport(Dispatcher(router, title: "test", onTurnEnded: { opened.turnEnded() })), as: "test")
  }

  struct Credentials: Codable, Equatable {
    var adminKey: String
    var publishableKey: String
    var demoToken: String?
  }

  func credentials() throws -> Credentials {
    let file = try #require(fopen(credentialsPath, "r"))
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = fread(&buffer, 1, buffer.count, file)
    return try JSON.decode(Credentials.self, from: Array(buffer[..<count]))
  }

  @discardableResult
  func call<P, R>(
    _ method: Method<P, R>, _ params: P, as principal: Principal = .admin, key: String? = nil, locale: String? = nil
  ) async throws -> R {
    try await client.call(
      method, params, deadline: .after(milliseconds: 30_000),
      CallMetadata(principal: principal, idempotencyKey: key, locale: locale))
  }

  /// The error of a call that must fail.
  func refusal<P, R>(
    _ method: Method<P, R>, _ params: P, as principal: Principal = .admin, key: String? = nil,
    locale: String? = nil, at location: SourceLocation = #_sourceLocation
  ) async -> RPCError? {
    await #expect(throws: RPCError.self, sourceLocation: location) {
      try await self.call(method, params, as: principal, key: key, locale: locale)
    }
  }

  func createAccount(_ id: String, locale: String? = nil, timeZone: String? = nil) async throws -> Account {
    try await call(
      AccountMethods.create,
      AccountCreateParams(
        accountId: id, name: "Maya Lindqvist", email: "\(id)@example.com", locale: locale, timeZone: timeZone))
  }

  /// A person with an account and a session.
  func person(_ id: String) async throws -> (principal: Principal, grant: SessionGrant) {
    _ = try await createAccount(id)
    return try await signIn(id)
  }

  func signIn(_ id: String, device: String? = nil) async throws -> (principal: Principal, grant: SessionGrant) {
    let grant = try await call(
      SessionMethods.start, SessionStartParams(accountId: id, deviceId: device, authenticatedAt: clock.now()))
    return (try await verified(grant.token).principal, grant)
  }

  func device() async throws -> (principal: Principal, grant: SessionGrant) {
    let grant = try await call(
      SessionMethods.startDevice,
      SessionStartDeviceParams(appKey: try credentials().publishableKey, platform: "ios", appVersion: "2.4"),
      as: .anonymous)
    return (try await verified(grant.token).principal, grant)
  }

  func verified(_ token: String) async throws -> VerifiedSession {
    try await call(SessionMethods.verify, SessionVerifyParams(token: token), as: .consentService)
  }

  func changes(since cursor: String? = nil) async throws -> AuthChanges {
    try await call(AccountMethods.authChanges, AuthChangesParams(cursor: cursor), as: .gateway)
  }

  /// The events waiting for audit-service, in order.
  func events(of subject: Subject? = nil) async throws -> [Event] {
    try await store.store.read(
      SQLStatement("SELECT event FROM outbox WHERE subscriber = 'audit-service' ORDER BY position, subject")
    ).map { try JSON.decode(Event.self, from: $0.text(0)) }.filter { subject == nil || $0.subjectOf == subject }
  }
}

extension Principal {
  static let admin = Principal(kind: .key, name: "admin", role: "admin")
  static let gateway = Principal(kind: .service, name: "gateway")
  static let consentService = Principal(kind: .service, name: "consent-service")
  static func key(_ scopes: String...) -> Principal {
    Principal(kind: .key, name: scopes.joined(separator: "-"), scopes: scopes)
  }
  func of(app: String) -> Principal {
    var other = self
    other.app = app
    return other
  }
}
