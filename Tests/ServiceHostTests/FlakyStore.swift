// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import SQLStore
import Threading

/// A real store that fails a few reads, as one does whose server is away for a moment.
final class FlakyStore: SQLStore {
  private let store: any SQLStore
  private let failures = Lock(0)

  init(_ store: any SQLStore) { self.store = store }

  /// Fails that many of the next reads of the epoch.
  func fail(_ count: Int) { failures.withLock { $0 = count } }
  /// It has failed as often as it should.
  var isWell: Bool { failures.withLock { $0 } == 0 }

  func read(_ statements: [SQLStatement]) async throws -> [SQLRows] {
    let isEpoch = statements.contains { $0.sql.description.contains("name = 'epoch'") }
    let fails = failures.withLock { failures in
      guard isEpoch, failures > 0 else { return false }
      failures -= 1
      return true
    }
    if fails { throw SQLStoreError(.unavailable, "away for a moment") }
    return try await store.read(statements)
  }

  func write<R: Sendable>(
    _ reads: [SQLStatement], _ decide: @escaping @Sendable (_ rows: [SQLRows], _ writes: inout SQLWrites) throws -> R
  ) async throws -> R {
    try await store.write(reads, decide)
  }

  func migrate(_ migrations: [Migration]) throws { try store.migrate(migrations) }
  func turnEnded() { store.turnEnded() }
  func close() { store.close() }
  var statistics: SQLStoreStatistics { store.statistics }
  var stamps: WriteStamps? { store.stamps }
  var joinsEqualStatements: Bool { store.joinsEqualStatements }
  var logsWholePages: Bool { store.logsWholePages }
}
