// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import JSONRPC
internal import SQLStore

/// Tells a store's history from that of another: made with the store, kept in it.
///
/// A store that was restored and has recovered goes on in the next epoch of the same line: `<id>`, `<id>.0001`,
/// `<id>.0002` …, in the order of their text. `seq` goes on through all of a line, so a subscriber that has nothing of an
/// epoch yet continues from what it took of those before it.
enum StoreEpoch {
  /// The next one of the line.
  static func successor(of epoch: String) -> String {
    let number = (Int(epoch.drop { $0 != "." }.dropFirst()) ?? 0) + 1
    let digits = String(number)
    return first(ofLineOf: epoch) + "." + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  /// The line's first.
  static func first(ofLineOf epoch: String) -> String { String(epoch.prefix { $0 != "." }) }

  static func isFirst(_ epoch: String) -> Bool { !epoch.utf8.contains(UInt8(ascii: ".")) }

  static func read(_ store: any SQLStore, now: Timestamp) async throws -> String {
    let fresh = Identifier.next(now)
    return try await store.write([
      SQLStatement(
        "INSERT INTO store_meta (name, value) VALUES ('epoch', $1) ON CONFLICT (name) DO NOTHING", .text(fresh)),
      SQLStatement("SELECT value FROM store_meta WHERE name = 'epoch'"),
    ]) { rows, _ in rows[1][0].text(0) }
  }
}
