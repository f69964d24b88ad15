// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import SQLStore

/// A row by which a store says of itself that it is a copy, or in the middle of a recovery: it is not served from before a
/// recovery has ended. Backups are made with it, so that whoever restores one cannot forget.
public enum RestoreMark {
  static func isSet(in store: any SQLStore) async throws -> Bool {
    try await !store.read(SQLStatement("SELECT 1 FROM store_meta WHERE name = 'restored'")).isEmpty
  }

  static func set(in store: any SQLStore) async throws { _ = try await store.write([hold]) { _, _ in } }

  /// For a copy.
  public static var marking: SQLStatement {
    SQLStatement("INSERT INTO store_meta (name, value) VALUES ('restored', '1') ON CONFLICT (name) DO NOTHING")
  }

  /// Sets it where it is not, and makes recoveries by other replicas wait for this transaction.
  static var hold: SQLStatement {
    SQLStatement(
      lock: """
        INSERT INTO store_meta (name, value) VALUES ('restored', '1') ON CONFLICT (name) DO UPDATE SET value = '1'
        """)
  }

  static var removal: SQLStatement { SQLStatement("DELETE FROM store_meta WHERE name = 'restored'") }
}
