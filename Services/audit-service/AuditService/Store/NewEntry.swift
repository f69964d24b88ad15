// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import Events
internal import JSONRPC
internal import SQLStore

/// A record made ready for the log: hashed and sealed, lacking only its index.
struct NewEntry: Sendable {
  let entryId: String
  private let app: String
  private let subject: [UInt8]
  private let record: TakenRecord
  private let actor: String
  private let leaf: [UInt8]
  private let leafHash: [UInt8]
  private let sealed: [UInt8]?

  /// - Parameters:
  ///   - logId: hexadecimal.
  ///   - random: gives that many unpredictable bytes.
  init(_ record: TakenRecord, of event: Event, logId: String, subject: SubjectKey, random: (Int) -> [UInt8]) throws {
    var personal = record.personal
    if let topic = event.subjectOf.topic { personal = try personal.adding("topic", topic) }
    let salt = random(32)
    let part = try SealedPart(personal: personal, salt: salt, random: random)
    leaf = try EntryFormat.Leaf(
      app: event.app, commitment: Hex.encode(EntryFormat.commitment(salt: salt, personal: part.personal)),
      entryId: record.entryId, facts: record.facts.text, kind: record.kind, logId: logId,
      source: event.source, subject: subject.name, timestamp: record.timestamp
    ).bytes
    leafHash = EntryFormat.leafHash(leaf)
    sealed = try subject.box.map {
      $0.seal(
        try JSON.encode(part), associatedData: SealedPart.place(app: event.app, entryId: record.entryId),
        random: random)
    }
    self.subject = subject.subject
    self.record = record
    app = event.app
    entryId = record.entryId
    actor = record.personal.actor ?? "unknown"
  }

  func insert(at index: Int64) -> SQLStatement {
    SQLStatement(
      """
      INSERT INTO audit_entry (app, idx, entry_id, subject, timestamp, kind, category, status, regulation,
        policy_version, actor, in_force, leaf, leaf_hash, sealed)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
      """, .text(app), .integer(index), .text(entryId), .blob(subject), SQLValue(record.timestamp),
      .text(record.kind), SQLValue(record.facts.category), SQLValue(record.facts.status),
      SQLValue(record.facts.regulation), SQLValue(record.facts.policyVersion), .text(actor),
      SQLValue(!record.facts.isSuperseded), .blob(leaf), .blob(leafHash), SQLValue(sealed))
  }
}

extension SealedPart {
  /// What a sealed part is bound to, so that one moved to another entry does not open.
  static func place(app: String, entryId: String) -> [UInt8] { Array(app.utf8) + [0] + Array(entryId.utf8) }

  /// - Throws: `CryptographyError` for another subject's key or another entry.
  static func open(_ sealed: [UInt8], with box: SecretBox, app: String, entryId: String) throws -> SealedPart {
    try JSON.decode(SealedPart.self, from: box.open(sealed, associatedData: place(app: app, entryId: entryId)))
  }
}
