// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import JSONRPC

/// The entry format, version 1. What is hashed here is final: trees, heads and proofs are built on these leaves.
///
/// - `leaf` is the canonical JSON (RFC 8785) of `{app, commitment, entryId, facts, kind, logId, source, subject, timestamp,
///   v}`. Nothing in it is personal: `subject` is 128 random bits per (app, subject, generation).
/// - `leafHash = SHA-256(0x00 ‖ leaf)`, as RFC 6962, section 2.1, hashes leaves.
/// - `commitment = SHA-256(salt ‖ canonical JSON of the personal part)`, with 32 random bytes of salt: who has both can
///   check it, who has lost them cannot guess them back.
/// - A key that acted is not named in the personal part but by `actorHash = SHA-256(actor salt ‖ actor)`, so that a person
///   can be given all the evidence of an entry without the name of who acted for the app.
///
/// Binary values are lower-case hexadecimal.
enum EntryFormat {
  static let version: Int64 = 1

  /// Its members stand here, and are written, in canonical order; with canonical `facts` and text written with the fewest
  /// escapes, as JSON is here, its text is canonical.
  struct Leaf: Codable, Sendable, Hashable {
    var app: String
    var commitment: String
    var entryId: String
    var facts: RawJSON
    var kind: String
    /// 128 random bits of the app's log.
    var logId: String
    /// The service that recorded it.
    var source: String
    var subject: String
    var timestamp: Timestamp
    var v: Int64 = EntryFormat.version

    var bytes: [UInt8] { get throws { try JSON.encode(self) } }
  }

  static func leafHash(_ leaf: [UInt8]) -> [UInt8] {
    var hash = SHA256()
    hash.update([0])
    hash.update(leaf)
    return hash.finalize()
  }

  /// - Parameters:
  ///   - salt: 32 bytes.
  ///   - personal: canonical JSON.
  static func commitment(salt: [UInt8], personal: RawJSON) -> [UInt8] {
    var hash = SHA256()
    hash.update(salt)
    hash.update(personal.bytes)
    return hash.finalize()
  }

  static func actorHash(salt: [UInt8], actor: String) -> [UInt8] {
    var hash = SHA256()
    hash.update(salt)
    hash.update(Array(actor.utf8))
    return hash.finalize()
  }

  /// Facts or a personal part as they are hashed.
  ///
  /// RFC 8785 writes numbers as IEEE doubles do; those that are no integers of at most 53 bits become text, so that no
  /// record can be refused for a number in it.
  static func canonical(_ members: [String: JSONValue]) throws -> RawJSON {
    let isCanonicalizable = members.values.allSatisfy(isCanonicalizable)
    return RawJSON(
      try JSON.canonical(JSONValue.object(isCanonicalizable ? members : members.mapValues(canonicalizable))))
  }

  /// Nearly every value there is, and nothing to be made of it.
  private static func isCanonicalizable(_ value: JSONValue) -> Bool {
    switch value {
    case .null, .bool, .string: true
    case .integer(let integer): integer.magnitude < 1 << 53
    case .number, .array, .object: false
    }
  }

  private static func canonicalizable(_ value: JSONValue) -> JSONValue {
    switch value {
    case .null, .bool, .string: return value
    case .number(let number):
      if let integer = Int64(exactly: number) { return canonicalizable(.integer(integer)) }
      return .string("\(number)")
    case .integer(let integer): return integer.magnitude < 1 << 53 ? value : .string("\(integer)")
    case .array(let elements): return .array(elements.map(canonicalizable))
    case .object(let members): return .object(members.mapValues(canonicalizable))
    }
  }
}

extension EntryFormat.Leaf: CanonicallyEncodable {
  func encode(into object: JSONObject) {
    object.put("app", app)
    object.put("commitment", commitment)
    object.put("entryId", entryId)
    object.put("facts", facts)
    object.put("kind", kind)
    object.put("logId", logId)
    object.put("source", source)
    object.put("subject", subject)
    object.put("timestamp", timestamp)
    object.put("v", v)
  }
}
