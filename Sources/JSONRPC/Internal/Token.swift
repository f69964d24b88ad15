// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// What a token stands for. `escapedString` has at least one backslash, so its text must be made.
enum TokenKind: UInt8, BitwiseCopyable, Sendable {
  case object, array, string, escapedString, integer, number, `true`, `false`, null
}

/// What was found out about a token after it was scanned.
struct TokenMarks: OptionSet, BitwiseCopyable {
  let rawValue: UInt32
  /// A member's name that the decoder asked for.
  static let used = TokenMarks(rawValue: 1 << 4)
  /// An object that was decoded member by member: names it never asked for are unknown.
  static let opened = TokenMarks(rawValue: 1 << 5)
  /// A member's name that belongs to the protocol: decoders do not see it.
  static let hidden = TokenMarks(rawValue: 1 << 6)
  /// A string whose text holds U+0000.
  static let holdsNUL = TokenMarks(rawValue: 1 << 7)
}

/// One value or member name, in 16 bytes. A container's token is followed by its contents; a member is two: name, value.
struct Token: BitwiseCopyable {
  /// The bytes of the value, quotes and brackets included: `start..<end`.
  var start: UInt32
  var end: UInt32
  /// The index after the value's last token. While a container is being scanned: its parent's index.
  var next: UInt32
  /// Four bits of kind, four of marks, 24 of `resume`.
  private var bits: UInt32

  @inline(__always)
  init(_ kind: TokenKind, start: Int, end: Int, next: Int, marks: TokenMarks = []) {
    self.start = UInt32(truncatingIfNeeded: start)
    self.end = UInt32(truncatingIfNeeded: end)
    self.next = UInt32(truncatingIfNeeded: next)
    bits = UInt32(kind.rawValue) | marks.rawValue
  }

  @inline(__always) var kind: TokenKind {
    // The low four bits are only ever written from a TokenKind.
    unsafeBitCast(UInt8(truncatingIfNeeded: bits & 15), to: TokenKind.self)
  }
  @inline(__always) func has(_ mark: TokenMarks) -> Bool { bits & mark.rawValue != 0 }
  @inline(__always) mutating func set(_ mark: TokenMarks) { bits |= mark.rawValue }
  @inline(__always) var byteCount: Int { Int(end &- start) }

  /// Of an object: where the search for the next member goes on, as a distance in tokens. Members usually come in the
  /// order in which they are asked for. 0 (none yet, or too far away for 24 bits) means from the first member.
  @inline(__always) var resume: Int {
    get { Int(bits >> 8) }
    set { bits = bits & 0xFF | (newValue < 1 << 24 ? UInt32(truncatingIfNeeded: newValue) << 8 : 0) }
  }
}
