// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import Events
internal import JSONRPC
internal import SQLStore

/// An event as it is kept for its source: sealed whole under its subject's key, and gone with it.
struct ArchivedEvent: Sendable {
  let insert: SQLStatement

  /// - Parameter random: gives that many unpredictable bytes.
  init(_ event: Event, of subject: SubjectKey, random: (Int) -> [UInt8]) throws {
    let sealed = try subject.box.map {
      $0.seal(
        try JSON.encode(event.archived), associatedData: Self.place(app: event.app, entryId: event.entryId),
        random: random)
    }
    insert = SQLStatement(
      """
      INSERT INTO audit_event (app, source, entry_id, subject, generation, seq, epoch, sealed)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
      """, .text(event.app), .text(event.source), .text(event.entryId), .blob(subject.subject),
      .integer(event.generation), .integer(event.seq), .text(event.epoch), SQLValue(sealed))
  }

  /// What a sealed event is bound to: not the place of the entry that has the same id.
  static func place(app: String, entryId: String) -> [UInt8] {
    SealedPart.place(app: app, entryId: entryId) + [0] + Array("event".utf8)
  }
}
