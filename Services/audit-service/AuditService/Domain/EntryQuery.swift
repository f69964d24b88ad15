// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import JSONRPC
internal import SettingsContracts

/// Which entries a caller asked for, checked.
struct EntryQuery: Sendable, Hashable {
  /// Text from `first` on and before `end`, in byte order.
  struct TextRange: Sendable, Hashable {
    var first: String
    var end: String

    /// This text alone: U+0000, which no text here has, is all that comes before U+0001.
    static func only(_ text: String) -> TextRange { TextRange(first: text, end: text + "\u{1}") }
  }

  /// One kind, or all of a domain: `consent.*`.
  var kinds: TextRange?
  var category: String?
  var status: String?
  var regulation: String?
  var policyVersion: Int?
  var actors: TextRange?
  var from: Timestamp?
  var limit: Int
  /// Entries after this one in the order of the list. Starts at `to`, or at the cursor.
  var start: Position
  /// Entries of an account made on this device alone.
  var deviceId: String?

  /// Whether entries in its time may be passed over.
  var isSelective: Bool {
    kinds != nil || category != nil || status != nil || regulation != nil || policyVersion != nil || actors != nil
  }

  /// Where an entry stands: newest first by time, then by index.
  struct Position: Sendable, Hashable {
    var milliseconds: Int64
    var index: Int64

    static let newest = Position(milliseconds: .max, index: .max)

    var cursor: String { Base64URL.encode(Array("\(milliseconds).\(index)".utf8)) }

    init(milliseconds: Int64, index: Int64) {
      self.milliseconds = milliseconds
      self.index = index
    }

    init?(cursor: String) {
      guard let bytes = Base64URL.decode(cursor) else { return nil }
      let parts = String(decoding: bytes, as: UTF8.self).split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 2, let milliseconds = Int64(parts[0]), let index = Int64(parts[1]) else { return nil }
      self.init(milliseconds: milliseconds, index: index)
    }
  }

  /// - Parameters:
  ///   - standard: the limit where none is given.
  ///   - most: the highest limit.
  /// - Throws: INVALID_PARAMS, naming the field.
  init(_ params: AuditEntriesParams, for reader: StoredEntry.Reader, standard: Int, most: Int) throws(RPCError) {
    for (field, text, most) in [
      ("kind", params.kind, 128), ("category", params.category, 64), ("status", params.status, 64),
      ("regulation", params.regulation, 64), ("actor", params.actor, 256), ("cursor", params.cursor, 128),
    ] where text.map({ $0.utf8.count > most }) ?? false {
      throw .invalidParams(field, "must have at most \(most) bytes")
    }
    kinds = try params.kind.map(Self.kinds)
    category = params.category
    status = params.status
    regulation = params.regulation
    policyVersion = params.policyVersion
    actors = try params.actor.map { actor throws(RPCError) in try Self.actors(actor, for: reader) }
    from = params.from
    limit = params.limit ?? standard
    guard (1...most).contains(limit) else { throw .invalidParams("limit", "\(limit) is not in 1...\(most)") }
    if let from = params.from, let to = params.to, to < from {
      throw .invalidParams("to", "is before from")
    }
    start = params.to.map { Position(milliseconds: $0.milliseconds, index: -1) } ?? .newest
    if let cursor = params.cursor {
      guard let position = Position(cursor: cursor) else {
        throw .invalidParams("cursor", "must be the nextCursor of the page before")
      }
      start = min(start, position)
    }
  }

  private static func kinds(_ kind: String) throws(RPCError) -> TextRange {
    let isDomain = kind.hasSuffix(".*")
    let stem = isDomain ? String(kind.dropLast(2)) : kind
    guard !stem.isEmpty, stem.utf8.allSatisfy({ $0 == UInt8(ascii: ".") || isLetterOrDigit($0) }) else {
      throw .invalidParams("kind", "must be words joined by dots, such as consent.decided, or consent.*")
    }
    // The slash follows the dot.
    return isDomain ? TextRange(first: stem + ".", end: stem + "/") : .only(kind)
  }

  /// As entries show actors to `reader`: a person can ask for the app's keys only together.
  private static func actors(_ actor: String, for reader: StoredEntry.Reader) throws(RPCError) -> TextRange {
    if actor == "controller" { return TextRange(first: "key:", end: "key;") }
    if reader == .subject, SealedPart.namesKey(actor) {
      throw .invalidParams("actor", "must be person, device, controller or service:<name>")
    }
    return .only(actor)
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}

extension EntryQuery.Position: Comparable {
  static func < (a: Self, b: Self) -> Bool { (a.milliseconds, a.index) < (b.milliseconds, b.index) }
}
