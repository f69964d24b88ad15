// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Configuration
import Cryptography
import Events
import JSONRPC
import Logging
import RPC
import RPCTesting
import SQLStore
import ServiceKit
import SettingsContracts
import StoreTesting

@testable import AuditService

/// audit-service on a store of its own, in this process, with its own relay running.
final class RunningAudit: Sendable {
  static let noon = Timestamp("2026-01-02T12:00:00.000Z")!

  let test: TestStore
  let transport: InProcessTransport
  private let relay: Task<Void, Never>

  /// - Parameter test: of an earlier start, to start again on it.
  init(_ test: TestStore? = nil, keyFile: String? = nil) async throws {
    let test = try test ?? TestStore(migrations: AuditService.migrations)
    self.test = test
    let store = test.store
    let ledger = try await test.ledger(source: AuditService.name)
    let environment = ServiceEnvironment(
      store: store, ledger: ledger, logger: .silent, peers: Peers(as: AuditService.name, [:]),
      configuration: Configuration([AuditKeyFile.setting: keyFile ?? test.folder + "/audit.key"]))
    let service = try await AuditService(environment)
    var router = MethodRouter()
    service.register(on: &router)
    transport = InProcessTransport(Dispatcher(router, title: "audit", onTurnEnded: { store.turnEnded() }))
    let own = RPCClient(transport, as: AuditService.name)
    relay = Task { await Relay(ledger) { _ in own }.run() }
  }

  deinit { relay.cancel() }

  func stop() async {
    relay.cancel()
    await relay.value
  }

  /// Calls as a person, a device, a key … with the longest deadline there is: tests run beside much else.
  func call<P, R>(
    _ method: Method<P, R>, _ params: P, as principal: Principal, key: String? = nil
  ) async throws -> R {
    try await RPCClient(transport, as: "test")
      .call(
        method, params, deadline: .after(milliseconds: Deadline.longestMilliseconds),
        CallMetadata(principal: principal, idempotencyKey: key))
  }

  @discardableResult
  func deliver(_ events: [Event], from source: String = "consent-service") async throws -> [Acceptance] {
    try await call(
      EventMethods.deliver, DeliverParams(events: events), as: Principal(kind: .service, name: source)
    ).outcomes
  }

  func entries(_ params: AuditEntriesParams = AuditEntriesParams(), as principal: Principal = .admin) async throws
    -> AuditPage
  {
    try await call(AuditMethods.entries, params, as: principal)
  }

  /// The whole log of an app, first entry first, as stored.
  func log(_ app: String = "default") async throws -> [(index: Int64, leaf: [UInt8], hash: [UInt8])] {
    try await test.store.read(
      SQLStatement("SELECT idx, leaf, leaf_hash FROM audit_entry WHERE app = $1 ORDER BY idx", .text(app))
    ).map { ($0.int(0), $0.blob(1), $0.blob(2)) }
  }
}

extension Principal {
  static let admin = Principal(kind: .key, name: "root", role: "admin")
  static func person(_ accountId: String, device: String? = nil, app: String = "default") -> Principal {
    Principal(kind: .user, app: app, accountId: accountId, deviceId: device, generation: 1)
  }
  static func device(_ deviceId: String) -> Principal { Principal(kind: .device, deviceId: deviceId) }
}

extension Event {
  /// The `seq`th event of a subject, with one record.
  static func of(
    _ subject: String, _ seq: Int64, kind: String = "consent.decided", app: String = "default", generation: Int64 = 1,
    source: String = "consent-service", minutes: Int64? = nil, facts: [String: JSONValue] = [:],
    personal: [String: JSONValue] = [:], entryId: String? = nil
  ) -> Event {
    let named = Subject(app: app, id: subject)
    let entryId = entryId ?? "\(source.prefix(3))-\(subject.filter(\.isLetter))-\(generation)-\(seq)"
    var all: [String: JSONValue] = ["actor": "person"]
    all["accountId"] = named.accountId.map(JSONValue.string)
    all["deviceId"] = named.deviceId.map(JSONValue.string)
    all.merge(personal) { _, new in new }
    let held = Identifier.milliseconds(of: entryId).map(Timestamp.init(milliseconds:))
    let record = AuditRecord(
      entryId: entryId, kind: kind, timestamp: held ?? RunningAudit.noon + (minutes ?? seq) * 60_000, facts: facts,
      personal: all)
    return Event(
      source: source, epoch: "e1", app: app, subject: subject, generation: generation, seq: seq, entryId: entryId,
      kind: kind, records: [record])
  }

  func with(_ change: (inout Event) -> Void) -> Event {
    var event = self
    change(&event)
    return event
  }
}
