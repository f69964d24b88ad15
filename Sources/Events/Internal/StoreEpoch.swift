// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import JSONRPC
internal import SQLStore

/// Tells a store's history from that of another: made with the store, kept in it.
enum StoreEpoch {
  static func read(_ store: any SQLStore, now: Timestamp) async throws -> String {
    let fresh = Identifier.next(now)
    return try await store.write([
      SQLStatement(
        "INSERT INTO store_meta (name, value) VALUES ('epoch', $1) ON CONFLICT (name) DO NOTHING", .text(fresh)),
      SQLStatement("SELECT value FROM store_meta WHERE name = 'epoch'"),
    ]) { rows, _ in rows[1][0].text(0) }
  }
}
