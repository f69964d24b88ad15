// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import SQLStore

/// What audit-service itself may have lost: nobody else has the events that it took after its backup. Until an operator
/// has said that this is so, events that do not follow what it has are held back.
public enum ArchiveLoss {
  /// Whether the store says of itself that it is a restored copy, and no operator has accepted that yet.
  public static func isSuspected(in store: any SQLStore) async throws -> Bool { try await RestoreMark.isSet(in: store) }

  public static func isAccepted(in store: any SQLStore) async throws -> Bool {
    try await !store.read(SQLStatement("SELECT 1 FROM store_meta WHERE name = 'lossAccepted'")).isEmpty
  }

  public static func accept(in store: any SQLStore) async throws {
    try await store.write([]) { _, writes in
      writes.add("INSERT INTO store_meta (name, value) VALUES ('lossAccepted', '1') ON CONFLICT (name) DO NOTHING")
      writes.add(RestoreMark.removal)
    }
  }

  /// For a copy: what may be missing there is another question.
  public static var forgetting: SQLStatement { SQLStatement("DELETE FROM store_meta WHERE name = 'lossAccepted'") }
}
