// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// Text that people and apps give: one line, bounded, free of what could disguise it.
enum Text {
  /// `value` without the white space around it.
  /// - Parameters:
  ///   - limit: in Unicode scalars, so that no single character can be endless.
  ///   - blank: what the person is told when nothing is left.
  /// - Throws: INVALID_PARAMS, which names `field` and never quotes the text.
  static func line(
    _ value: String, _ field: String, atMost limit: Int, blank: String? = nil
  ) throws(RPCError) -> String {
    let line = trimmed(value)
    guard !TextRule.isBlank(line) else { throw .invalidParams(field, "must not be blank", display: blank) }
    guard line.unicodeScalars.count <= limit else {
      throw .invalidParams(field, "must have at most \(limit) characters")
    }
    guard line.unicodeScalars.allSatisfy(isAllowed) else {
      throw .invalidParams(field, "must not contain control characters, line breaks or text direction marks")
    }
    return line
  }

  /// - Throws: INVALID_PARAMS unless `value` is 1 to `limit` of `A-Z a-z 0-9 . _ -`.
  static func checkWord(_ value: String, _ field: String, atMost limit: Int) throws(RPCError) {
    let isWord = value.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard isWord, (1...limit).contains(value.utf8.count) else {
      throw .invalidParams(field, "must be 1 to \(limit) of A-Z a-z 0-9 . _ -")
    }
  }

  static func trimmed(_ value: String) -> String {
    var rest = value[...]
    while let first = rest.first, first.isWhitespace { rest.removeFirst() }
    while let last = rest.last, last.isWhitespace { rest.removeLast() }
    return String(rest)
  }

  /// Joiners are allowed, since scripts and emoji need them.
  static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    guard !TextRule.isDisguise(scalar) else { return false }
    switch scalar.properties.generalCategory {
    case .surrogate, .privateUse: return false
    case .unassigned: return !scalar.properties.isNoncharacterCodePoint
    default: return true
    }
  }
}
