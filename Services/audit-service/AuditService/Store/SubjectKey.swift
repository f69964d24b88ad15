// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import SQLStore

/// What entries about a subject are written with.
struct SubjectKey: Sendable {
  let app: String
  let generation: Int64
  /// How the database names it.
  let reference: [UInt8]
  /// As subjects are named in the inbox.
  let alias: String
  /// 128 random bits: the leaf's `subject`.
  let subject: [UInt8]
  /// `subject` in hexadecimal.
  let name: String
  /// As stored. Nil for a subject that was erased: its entries keep no personal part, and no two share a `subject`.
  let wrapped: [UInt8]?
  /// Opens and closes sealed parts; nil as `wrapped` is.
  let box: SecretBox?

  /// A key for a subject that has none yet.
  static func candidate(_ name: SubjectName, _ key: AuditKey) throws -> SubjectKey {
    let subject = Random.bytes(16)
    let bytes = Random.bytes(SecretBox.keyByteCount)
    return SubjectKey(
      name, reference: name.reference(key), subject: subject, wrapped: key.wrap(bytes, app: name.app, subject: subject),
      box: try SecretBox(key: bytes))
  }

  /// - Parameters:
  ///   - reference: of `name`.
  ///   - row: `subject, wrapped_key`.
  init(_ name: SubjectName, reference: [UInt8], _ row: SQLRow, _ key: AuditKey) throws {
    if let subject = row.optionalBlob(0), let wrapped = row.optionalBlob(1) {
      let box = try key.unwrap(wrapped, app: name.app, subject: subject)
      self.init(name, reference: reference, subject: subject, wrapped: wrapped, box: box)
    } else {
      self.init(name, reference: reference, subject: Random.bytes(16), wrapped: nil, box: nil)
    }
  }

  private init(_ name: SubjectName, reference: [UInt8], subject: [UInt8], wrapped: [UInt8]?, box: SecretBox?) {
    app = name.app
    generation = name.generation
    self.reference = reference
    alias = SubjectName.referencePrefix + Hex.encode(reference)
    self.subject = subject
    self.name = Hex.encode(subject)
    self.wrapped = wrapped
    self.box = box
  }

  var isErased: Bool { box == nil }

  /// Of an erased subject: the same with another `subject`, for its next entry.
  func withFreshSubject() -> SubjectKey {
    SubjectKey(
      SubjectName(app: app, id: alias, generation: generation), reference: reference, subject: Random.bytes(16),
      wrapped: nil, box: nil)
  }

  /// Whether the row still holds this key.
  func isStored(subject: SQLValue, wrapped: SQLValue) -> Bool {
    wrapped == SQLValue(self.wrapped) && (isErased || subject == .blob(self.subject))
  }

  /// The row as `(subject, wrapped_key)`: found, or made of this, and held against other writers.
  var claim: SQLStatement {
    SQLStatement(
      """
      INSERT INTO audit_subject (app, subject_ref, generation, subject, wrapped_key) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (app, subject_ref, generation) DO UPDATE SET generation = excluded.generation
      RETURNING subject, wrapped_key
      """, .text(app), .blob(reference), .integer(generation), .blob(subject), SQLValue(wrapped))
  }

  static func find(_ app: String, _ reference: [UInt8], _ generation: Int64) -> SQLStatement {
    SQLStatement(
      "SELECT subject, wrapped_key FROM audit_subject WHERE app = $1 AND subject_ref = $2 AND generation = $3",
      .text(app), .blob(reference), .integer(generation))
  }

  /// A look at whether keys that were seen are stored still: a statement, and the number that it gives if all are.
  struct Check: Sendable {
    let statement: SQLStatement
    let count: Int64
  }

  private static let listed = 16

  /// `subject` is one key's alone for as long as that is stored, and in an index with no more than the app. Many to a
  /// statement: one each would be a good part of what appending costs.
  /// - Parameters:
  ///   - keys: none that is erased.
  ///   - listing: false where equal statements run as one.
  static func checks(of keys: [SubjectKey], listing: Bool) -> [Check] {
    guard listing else { return keys.map { check($0.app, [.blob($0.subject)]) } }
    var lists: [(app: String, subjects: [SQLValue])] = []
    for key in keys {
      // In general all are of one app.
      if let list = lists.lastIndex(where: { $0.app == key.app && $0.subjects.count < listed }) {
        lists[list].subjects.append(.blob(key.subject))
      } else {
        lists.append((key.app, [.blob(key.subject)]))
      }
    }
    return lists.map(check)
  }

  private static func check(_ app: String, _ subjects: [SQLValue]) -> Check {
    guard subjects.count > 1 else {
      let statement = SQLStatement(
        "SELECT 1 FROM audit_subject WHERE app = $1 AND subject = $2", parameters: [.text(app)] + subjects)
      return Check(statement: statement, count: 1)
    }
    // Filled up with the last one: the text is one for every number.
    let rest = Array(repeating: subjects.last!, count: listed - subjects.count)
    let statement = SQLStatement(
      """
      SELECT COUNT(*)
      FROM (VALUES ($2), ($3), ($4), ($5), ($6), ($7), ($8), ($9), ($10), ($11), ($12), ($13), ($14), ($15), ($16),
        ($17)) AS listed
      CROSS JOIN audit_subject s
      WHERE s.app = $1 AND s.subject = listed.column1
      """, parameters: [.text(app)] + subjects + rest)
    return Check(statement: statement, count: Int64(listed))
  }
}
