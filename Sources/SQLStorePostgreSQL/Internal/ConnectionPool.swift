// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import PostgreSQL
internal import SQLStore
internal import Threading

/// The thread that drives a store's connections, and what others hand it.
final class ConnectionPool: Sendable {
  enum Order: Sendable {
    case write(WriteJob)
    case read(ReadJob)
    /// A connection that was there before the pool.
    case first(Connector.Handover)
    /// What became of a try to connect.
    case connected(Place.Role, Int, Result<Connector.Handover, PostgreSQLError>)
    case tables(Set<String>)
    case stop(@Sendable () -> Void)
  }

  /// How long a call waits for a connection, in milliseconds. A server that restarts is back sooner; a caller's deadline
  /// is later.
  private static let patience: Int64 = 4_000

  private let orders = Mailbox<Order>()
  private let isOpen = Lock(true)
  private let counters = Lock(SQLStoreStatistics())

  /// - Parameter first: a connection that is there already.
  init(_ configuration: PostgreSQLConfiguration, _ first: Connector.Handover, tables: Set<String>) {
    // Given away: whoever kept it would keep it open when its place has been left.
    orders.add(.first(first))
    startThread(named: "pg-store") {
      var loop = PoolLoop(configuration, self.orders, self.counters)
      let stopping = loop.run(tables)
      for done in stopping { done() }
    }
  }

  var statistics: SQLStoreStatistics { counters.withLock { $0 } }

  func write<R: Sendable>(
    _ reads: [SQLStatement], _ decide: @escaping @Sendable (_ rows: [SQLRows], _ writes: inout SQLWrites) throws -> R
  ) async throws -> R {
    for statement in reads { try statement.checkText() }
    return try await withUnsafeThrowingContinuation { caller in
      let job = TypedWriteJob(reads, expires: Self.now() + Self.patience, decide, caller: caller)
      if !add(.write(job)) { caller.resume(throwing: SQLStoreError.closed) }
    }
  }

  func read(_ statements: [SQLStatement]) async throws -> [SQLRows] {
    for statement in statements { try statement.checkText() }
    return try await withUnsafeThrowingContinuation { caller in
      let job = ReadJob(statements, expires: Self.now() + Self.patience, caller: caller)
      if !add(.read(job)) { caller.resume(throwing: SQLStoreError.closed) }
    }
  }

  func know(tables: Set<String>) { _ = add(.tables(tables)) }

  /// Finishes what is queued, then calls `done` and ends the thread.
  func stop(_ done: @escaping @Sendable () -> Void) {
    let wasOpen: Bool = isOpen.withLock { isOpen in
      defer { isOpen = false }
      if isOpen { orders.add(.stop(done)) }
      return isOpen
    }
    if !wasOpen { done() }
  }

  private func add(_ order: Order) -> Bool {
    isOpen.withLock { isOpen in
      if isOpen { orders.add(order) }
      return isOpen
    }
  }

  /// Monotonic milliseconds.
  static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
