// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import Logging
internal import RPC
internal import SQLStore

/// Removes idempotency records that are past their 24 hours, a few at a time.
struct IdempotencySweep: Sendable {
  private static let batch = 500
  private static let pauseMilliseconds = 60_000

  let ledger: Ledger

  /// Runs until its task is cancelled.
  func run() async {
    while !Task.isCancelled {
      do {
        try await sweep()
      } catch {
        ledger.logger.warning("old idempotency records stay for now", ["problem": .string("\(error)")])
      }
      try? await Task.sleep(for: .milliseconds(Self.pauseMilliseconds))
    }
  }

  /// - Returns: how many it removed.
  @discardableResult
  func sweep() async throws -> Int {
    let oldest = ledger.clock.now().milliseconds - IdempotentRequest.keptMilliseconds
    var removed = 0
    for app in try await apps() {
      var last = Self.batch
      while last == Self.batch, !Task.isCancelled {
        last = try await ledger.store.write([
          SQLStatement(
            """
            DELETE FROM idempotency WHERE (app, subject, scope) IN (
              SELECT app, subject, scope FROM idempotency WHERE app = $1 AND at <= $2 ORDER BY at LIMIT $3
            ) RETURNING 1
            """, .text(app), .integer(oldest), SQLValue(Self.batch))
        ]) { rows, _ in rows[0].count }
        removed += last
      }
    }
    return removed
  }

  private func apps() async throws -> [String] {
    try await ledger.store.read(
      SQLStatement(
        """
        WITH RECURSIVE apps (app) AS (
          SELECT min(app) FROM idempotency
          UNION ALL SELECT (SELECT min(app) FROM idempotency WHERE app > apps.app) FROM apps WHERE apps.app IS NOT NULL
        )
        SELECT app FROM apps WHERE app IS NOT NULL
        """)
    ).map { $0.text(0) }
  }
}
