// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import JSONRPC

/// How lists are cut into pages.
enum Paging {
  static let standardLimit = 50

  /// - Throws: INVALID_PARAMS outside 1 to `most`.
  static func limit(_ limit: Int?, atMost most: Int) throws(RPCError) -> Int {
    guard let limit else { return min(standardLimit, most) }
    guard (1...most).contains(limit) else { throw .invalidParams("limit", "\(limit) is not in 1...\(most)") }
    return limit
  }

  /// The place after which a page begins, as text that callers do not look into.
  static func cursor(_ place: String) -> String { Base64URL.encode(Array(place.utf8)) }

  /// - Throws: INVALID_PARAMS unless `cursor(_:)` made it.
  static func place(_ cursor: String?) throws(RPCError) -> String? {
    guard let cursor else { return nil }
    guard (1...512).contains(cursor.utf8.count), let bytes = Base64URL.decode(cursor), !bytes.contains(0),
      let place = String(validating: bytes, as: UTF8.self)
    else { throw .invalidParams("cursor", "must be the nextCursor of an earlier page") }
    return place
  }
}
