// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import SQLStore

/// Tells the ledgers of one store apart, those of several replicas and of one process's starts: counted up in the store.
enum LedgerNumber {
  static func take(_ store: any SQLStore) async throws -> Int64 {
    try await store.write([
      SQLStatement(
        """
        INSERT INTO store_meta (name, value) VALUES ('ledgers', '1') ON CONFLICT (name) DO UPDATE
          SET value = CAST(CAST(store_meta.value AS BIGINT) + 1 AS TEXT)
        RETURNING CAST(value AS BIGINT)
        """)
    ]) { rows, _ in rows[0][0].int(0) }
  }

  /// The last one that was taken.
  static func last(_ store: any SQLStore) async throws -> Int64 {
    try await store.read(SQLStatement("SELECT CAST(value AS BIGINT) FROM store_meta WHERE name = 'ledgers'"))
      .first?.int(0) ?? 0
  }
}
