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

@testable import PermissionService

/// permission-service on a store of its own, in this process, with a clock that tests set.
final class RunningPermissions: Sendable {
  let test: TestStore
  let clock = TestClock()
  private let client: RPCClient

  init() async throws {
    test = try TestStore(migrations: PermissionService.migrations)
    let store = test.store
    let service = try await PermissionService(
      ServiceEnvironment(
        store: store,
        ledger: try await test.ledger(
          source: PermissionService.name, subscribers: PermissionService.subscribers, clock: clock),
        clock: clock, logger: .silent, peers: Peers(as: PermissionService.name, [:]),
        configuration: Configuration([:])))
    var router = MethodRouter()
    service.register(on: &router)
    let dispatcher = Dispatcher(router, title: "permission", onTurnEnded: { store.turnEnded() })
    client = RPCClient(InProcessTransport(dispatcher), as: "test")
  }

  func call<P, R>(
    _ method: Method<P, R>, _ params: P, as principal: Principal, key: String? = nil
  ) async throws -> R {
    try await client.call(
      method, params, deadline: .after(milliseconds: 10_000),
      CallMetadata(principal: principal, idempotencyKey: key, locale: "en"))
  }

  func refusal<P, R>(_ method: Method<P, R>, _ params: P, as principal: Principal) async throws -> RPCError {
    do {
      _ = try await call(method, params, as: principal)
    } catch let error as RPCError {
      return error
    }
    throw Unexpected(message: "\(method.name) was not refused")
  }
  struct Unexpected: Error { var message: String }

  @discardableResult
  func report(
    _ statuses: [PermissionKind: String], as principal: Principal, platform: Platform = .ios, at: Timestamp? = nil
  ) async throws -> PermissionListResult {
    try await call(
      PermissionMethods.report,
      PermissionReportParams(
        permissions: statuses.map { .init(kind: $0.key, status: $0.value, at: at) }, platform: platform),
      as: principal)
  }

  @discardableResult
  func record(
    _ event: PrimerEvent, _ kind: PermissionKind = .camera, as principal: Principal
  ) async throws -> PermissionRecordResult {
    try await call(PermissionMethods.record, PermissionRecordParams(kind: kind, event: event), as: principal)
  }

  func primer(_ kind: PermissionKind = .camera, as principal: Principal) async throws -> PermissionPrimerResult {
    try await call(PermissionMethods.primer, PermissionPrimerParams(kind: kind, appName: "Tern"), as: principal)
  }

  /// What a subscriber is told, oldest first.
  func events(for subscriber: String = "audit-service") async throws -> [Event] {
    try await test.store.read(
      SQLStatement("SELECT event FROM outbox WHERE subscriber = $1 ORDER BY position", .text(subscriber))
    ).map { try JSON.decode(Event.self, from: $0.text(0)) }
  }
}

/// A clock that stands until it is moved.
final class TestClock: WallClock {
  private let time = Mutex(Timestamp("2026-01-15T12:00:00.000Z")!)
  func now() -> Timestamp { time.withLock { $0 } }
  func advance(milliseconds: Int64) { time.withLock { $0 = $0 + milliseconds } }
  func advance(days: Int64) { advance(milliseconds: days * 86_400_000) }
}

extension Principal {
  static let admin = Principal(kind: .key, name: "root", role: "admin")
  static let sender = Principal(kind: .key, name: "sender", scopes: ["decide"])
  static func person(_ accountId: String, device: String?, app: String = "default") -> Principal {
    Principal(kind: .user, app: app, accountId: accountId, deviceId: device, generation: 1)
  }
  static func device(_ deviceId: String, app: String = "default") -> Principal {
    Principal(kind: .device, app: app, deviceId: deviceId)
  }
}
