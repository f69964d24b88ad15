// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography

/// The key outside the database. It wraps the subjects' keys and makes the references by which subjects are found; who has
/// the database alone can read no personal part and cannot tell whether a person is in it.
struct AuditKey: Sendable {
  static let byteCount = 32

  /// Tells keys apart; says nothing about the key.
  let id: [UInt8]
  private let wrapping: SecretBox
  private let references: HMACSHA256

  /// - Parameter bytes: 32 random ones. Each use has a key of its own, derived from them.
  init(_ bytes: [UInt8]) throws(CryptographyError) {
    let derive = HMACSHA256(key: bytes)
    id = Array(derive.authenticate(Array("assent.audit.key-id.v1".utf8)).prefix(8))
    wrapping = try SecretBox(key: derive.authenticate(Array("assent.audit.wrap.v1".utf8)))
    references = HMACSHA256(key: derive.authenticate(Array("assent.audit.subject-ref.v1".utf8)))
  }

  /// How the database names a subject: it cannot be turned back without this key.
  func reference(app: String, subject: String) -> [UInt8] {
    references.authenticate(Array(app.utf8) + [0] + Array(subject.utf8))
  }

  /// - Parameter subject: the random name that the key belongs to; a wrapped key moved to another row does not open.
  func wrap(_ key: [UInt8], app: String, subject: [UInt8]) -> [UInt8] {
    wrapping.seal(key, associatedData: Array(app.utf8) + [0] + subject)
  }

  /// - Throws: `CryptographyError` when it was wrapped by another key or for another subject.
  func unwrap(_ wrapped: [UInt8], app: String, subject: [UInt8]) throws(CryptographyError) -> SecretBox {
    try SecretBox(key: wrapping.open(wrapped, associatedData: Array(app.utf8) + [0] + subject))
  }
}
