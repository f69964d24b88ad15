// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import Events
internal import SQLStore
internal import Threading

/// Whom an entry is about, as the log knows it.
struct SubjectName: Sendable, Hashable {
  var app: String
  /// `AuditKey.reference` of the subject's id.
  var reference: [UInt8]
  var generation: Int64
}

/// What entries about a subject are written with.
struct SubjectKey: Sendable {
  /// 128 random bits: the leaf's `subject`.
  let subject: [UInt8]
  /// `subject` in hexadecimal.
  let name: String
  /// As stored. Nil for a subject that was erased: its entries keep no personal part, and no two share a `subject`.
  let wrapped: [UInt8]?
  /// Opens and closes sealed parts; nil as `wrapped` is.
  let box: SecretBox?

  /// A key for a subject that has none yet.
  static func candidate(_ key: AuditKey, app: String) throws -> SubjectKey {
    let subject = Random.bytes(16)
    let bytes = Random.bytes(SecretBox.keyByteCount)
    return SubjectKey(
      subject: subject, wrapped: key.wrap(bytes, app: app, subject: subject), box: try SecretBox(key: bytes))
  }

  /// For one entry of an erased subject.
  static var erased: SubjectKey { SubjectKey(subject: Random.bytes(16), wrapped: nil, box: nil) }

  private init(subject: [UInt8], wrapped: [UInt8]?, box: SecretBox?) {
    self.subject = subject
    name = Hex.encode(subject)
    self.wrapped = wrapped
    self.box = box
  }

  /// From the columns `subject, wrapped_key` of a row.
  init(_ row: SQLRow, _ key: AuditKey, app: String) throws {
    guard let subject = row.optionalBlob(0), let wrapped = row.optionalBlob(1) else {
      self = .erased
      return
    }
    self.init(subject: subject, wrapped: wrapped, box: try key.unwrap(wrapped, app: app, subject: subject))
  }

  /// Whether the row still holds this key.
  func isStored(in row: SQLRow) -> Bool {
    row.optionalBlob(1) == wrapped && (wrapped == nil || row.optionalBlob(0) == subject)
  }

  /// The row as `(subject, wrapped_key)`. Found, or made from `candidate`, and held against other writers.
  func claim(_ name: SubjectName) -> SQLStatement {
    SQLStatement(
      """
      INSERT INTO audit_subject (app, subject_ref, generation, subject, wrapped_key) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (app, subject_ref, generation) DO UPDATE SET generation = excluded.generation
      RETURNING subject, wrapped_key
      """, .text(name.app), .blob(name.reference), .integer(name.generation), .blob(subject), SQLValue(wrapped))
  }

  static func find(_ name: SubjectName) -> SQLStatement {
    SQLStatement(
      "SELECT subject, wrapped_key FROM audit_subject WHERE app = $1 AND subject_ref = $2 AND generation = $3",
      .text(name.app), .blob(name.reference), .integer(name.generation))
  }
}

/// The keys in use, so that a batch opens none twice. Every use is checked against the row in its transaction, so what is
/// kept here cannot be wrong for long enough to matter.
struct SubjectKeyCache: Sendable {
  private let keys = Lock<[SubjectName: SubjectKey]>([:])
  private let capacity: Int

  init(capacity: Int = 50_000) { self.capacity = capacity }

  subscript(name: SubjectName) -> SubjectKey? { keys.withLock { $0[name] } }

  /// When full, forgets all and starts again, which costs one look-up a subject.
  func add(_ key: SubjectKey, for name: SubjectName) {
    keys.withLock { keys in
      if keys.count >= capacity { keys.removeAll() }
      keys[name] = key
    }
  }
}
