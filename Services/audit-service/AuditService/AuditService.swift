// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Configuration
internal import Events
internal import Metrics
public import RPC
public import SQLStore
public import ServiceKit

/// audit-service: the provable record of every change that the other services make.
public struct AuditService: Service {
  public static let name = "audit-service"
  public static let migrations = [
    Migration(version: 1, name: "start", sql: PackageResources.V0001_start_sql),
    Migration(version: 2, name: "events", sql: PackageResources.V0002_events_sql),
    Migration(version: 3, name: "times", sql: PackageResources.V0003_times_sql),
    Migration(version: 4, name: "trail", sql: PackageResources.V0004_trail_sql, forWholePages: true),
  ]

  private let deliveries: Deliveries
  private let queries: Queries
  private let exports: Exports
  private let archive: Archive

  /// - Throws: `ConfigurationError` when the audit key is missing, unreadable, or not the one the database was written
  ///   with.
  public init(_ environment: ServiceEnvironment) async throws {
    let logs = try await environment.store.read(SQLStatement("SELECT DISTINCT key_id FROM audit_log"))
    let key = try AuditKeyFile(environment.configuration).load(mayCreate: logs.isEmpty)
    guard logs.allSatisfy({ $0.blob(0) == key.id }) else {
      throw ConfigurationError(key: AuditKeyFile.setting, problem: "is not the key that the database was written with")
    }
    let waiters = EntryWaiters()
    let reader = EntryReader(store: environment.store, key: key)
    let search = EntrySearch(reader: reader, waiters: waiters)
    deliveries = Deliveries(
      AuditLog(store: environment.store, key: key, waiters: waiters), environment.ledger, logger: environment.logger,
      metrics: environment.metrics)
    queries = Queries(search: search, reader: reader)
    exports = Exports(search: search, reader: reader, key: key, ledger: environment.ledger)
    archive = Archive(reader: EventReader(store: environment.store, key: key))
    environment.metrics.reading("assent_audit_waiting", "Calls that wait for an entry") { Double(waiters.count) }
  }

  public func register(on router: inout MethodRouter) {
    deliveries.register(on: &router)
    queries.register(on: &router)
    exports.register(on: &router)
    archive.register(on: &router)
  }
}
