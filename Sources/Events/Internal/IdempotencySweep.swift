// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import Logging
internal import RPC
internal import SQLStore

/// Removes idempotency records that are past their 24 hours: walks the table in small slices, so that no write pays for
/// an index by age and none waits long. A round over ten million records takes half an hour.
struct IdempotencySweep: Sendable {
  private static let slice = 1_000
  private static let pauseMilliseconds = 200
  private static let pauseBetweenRoundsMilliseconds = 600_000

  let ledger: Ledger

  /// Runs until its task is cancelled.
  func run() async {
    while !Task.isCancelled {
      do {
        try await sweep()
      } catch {
        ledger.logger.warning("old idempotency records stay for now", ["problem": .string("\(error)")])
      }
      try? await Task.sleep(for: .milliseconds(Self.pauseBetweenRoundsMilliseconds))
    }
  }

  /// One round.
  /// - Returns: how many records it removed.
  @discardableResult
  func sweep() async throws -> Int {
    var last: Key? = Key(app: "", scope: [], subject: "")
    var removed = 0
    while let key = last, !Task.isCancelled {
      let (next, expired) = try await records(after: key)
      try await remove(expired)
      removed += expired.count
      last = next
      if next != nil { try? await Task.sleep(for: .milliseconds(Self.pauseMilliseconds)) }
    }
    return removed
  }

  private struct Key: Sendable {
    let app: String
    let scope: [UInt8]
    let subject: String
  }

  private var limit: Int64 { ledger.clock.now().milliseconds - IdempotentRequest.keptMilliseconds }

  /// The next slice: where it ends, unless it is the last, and what in it is too old.
  private func records(after start: Key) async throws -> (end: Key?, expired: [Key]) {
    let limit = limit
    let rows = try await ledger.store.read(
      SQLStatement(
        """
        SELECT app, scope, subject, at FROM idempotency
        WHERE (app, scope, subject) > ($1, $2, $3) ORDER BY app, scope, subject LIMIT $4
        """, .text(start.app), .blob(start.scope), .text(start.subject), SQLValue(Self.slice)))
    func key(_ row: SQLRow) -> Key { Key(app: row.text(0), scope: row.blob(1), subject: row.text(2)) }
    return (rows.count == Self.slice ? rows.last.map(key) : nil, rows.filter { $0.int(3) <= limit }.map(key))
  }

  private func remove(_ keys: [Key]) async throws {
    guard !keys.isEmpty else { return }
    let limit = limit
    try await ledger.store.write([]) { _, writes in
      for key in keys {
        // The key may have been used anew meanwhile.
        writes.add(
          "DELETE FROM idempotency WHERE app = $1 AND scope = $2 AND subject = $3 AND at <= $4", .text(key.app),
          .blob(key.scope), .text(key.subject), .integer(limit))
      }
    }
  }
}
