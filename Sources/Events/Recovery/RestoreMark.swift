// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import SQLStore

/// A row by which a store says of itself that it is a copy, or in the middle of a recovery: it is not served from before a
/// recovery has ended. Backups are made with it, so that whoever restores one cannot forget.
public enum RestoreMark {
  static func isSet(in store: any SQLStore) async throws -> Bool {
    try await !store.read(look).isEmpty
  }

  /// For a copy.
  public static var marking: SQLStatement {
    SQLStatement("INSERT INTO store_meta (name, value) VALUES ('restored', '1') ON CONFLICT (name) DO NOTHING")
  }

  /// The store's epoch; makes recoveries by other replicas wait for this transaction.
  static var hold: SQLStatement {
    SQLStatement(lock: "UPDATE store_meta SET value = value WHERE name = 'epoch' RETURNING value")
  }

  /// A row while it is set.
  static var look: SQLStatement { SQLStatement("SELECT 1 FROM store_meta WHERE name = 'restored'") }

  static var removal: SQLStatement { SQLStatement("DELETE FROM store_meta WHERE name = 'restored'") }
}
