// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import PostgreSQL
public import SQLStore
internal import Threading

/// The store where one machine is not enough: a schema in a PostgreSQL server, by any number of replicas at once, over a
/// few connections that one thread drives.
public final class PostgreSQLStore: SQLStore {
  private let configuration: PostgreSQLConfiguration
  private let pool: ConnectionPool

  /// Connects. A server that is not there yet is waited for, up to ten seconds.
  /// - Throws: `SQLStoreError`: not reachable, refused, or without the settings that the store's guarantees need.
  public init(_ configuration: PostgreSQLConfiguration) throws {
    self.configuration = configuration
    let first = try Self.firstConnection(configuration)
    do throws(PostgreSQLError) {
      let tables = try Migrator(first, schema: configuration.schema).tables()
      try first.startPipeline()
      pool = ConnectionPool(configuration, Connector.Handover(connection: first), tables: tables)
    } catch {
      throw SQLStoreError(error)
    }
  }

  deinit { pool.stop {} }

  public func migrate(_ migrations: [Migration]) throws {
    do {
      var migrator = Migrator(try configuration.connect(), schema: configuration.schema)
      pool.know(tables: try migrator.apply(migrations))
    } catch let error as PostgreSQLError {
      throw SQLStoreError(error)
    }
  }

  public func read(_ statements: [SQLStatement]) async throws -> [SQLRows] { try await pool.read(statements) }

  public func write<R: Sendable>(
    _ reads: [SQLStatement], _ decide: @escaping @Sendable (_ rows: [SQLRows], _ writes: inout SQLWrites) throws -> R
  ) async throws -> R {
    try await pool.write(reads, decide)
  }

  /// Snapshots are taken by the server for each read; there is nothing to end.
  public func turnEnded() {}

  public func close() {
    let stopped = WakeEvent(blocking: true)
    pool.stop { stopped.signal() }
    stopped.clear()
  }

  public var statistics: SQLStoreStatistics { pool.statistics }

  /// Statements that are not prepared run one by one.
  public var joinsEqualStatements: Bool { configuration.prepares }

  public var logsWholePages: Bool { false }

  private static func firstConnection(_ configuration: PostgreSQLConfiguration) throws -> Connection {
    let end = ConnectionPool.now() + 10_000
    while true {
      do throws(PostgreSQLError) {
        return try configuration.connect()
      } catch {
        guard error.isConnectionLost, ConnectionPool.now() < end else { throw SQLStoreError(error) }
        usleep(100_000)
      }
    }
  }
}
