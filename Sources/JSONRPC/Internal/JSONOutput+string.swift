// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

extension JSONOutput {
  /// Quoted, with the fewest and shortest escapes, as RFC 8785 (section 3.2.2.2) has them.
  @inline(__always)
  mutating func put(string text: String) {
    var text = text
    text.withUTF8 { put(quoting: $0) }
  }

  mutating func put(quoting text: UnsafeBufferPointer<UInt8>) {
    put(UInt8(ascii: "\""))
    put(escaping: text)
    put(UInt8(ascii: "\""))
  }

  /// A part of a string. Looks for what needs an escape while it copies, eight bytes at a time as long as there are eight.
  mutating func put(escaping text: UnsafeBufferPointer<UInt8>) {
    reserve(text: text.count)
    var at = 0
    while at < text.count {
      let plain = copyPlainText(UnsafeBufferPointer(rebasing: text[at...]), to: base + count)
      advance(plain)
      at += plain
      guard at < text.count else { break }
      putEscape(of: text[at])
      at += 1
      reserve(text: text.count - at)
    }
  }

  /// To the first byte that needs an escape, or to the end. Writes up to seven bytes more, which do not count.
  ///
  /// Each term has the high bit set of bytes that are a quote, a backslash or a control, and may have it set of bytes
  /// above such a one; the lowest is exact.
  /// - Returns: how many bytes need none.
  @inline(__always)
  private func copyPlainText(_ text: UnsafeBufferPointer<UInt8>, to place: UnsafeMutablePointer<UInt8>) -> Int {
    var at = 0
    while at + 8 <= text.count {
      let eight = UnsafeRawBufferPointer(text).loadUnaligned(fromByteOffset: at, as: UInt64.self)
      UnsafeMutableRawPointer(place + at).storeBytes(of: eight, as: UInt64.self)
      let quotes = eight ^ 0x2222_2222_2222_2222
      let backslashes = eight ^ 0x5C5C_5C5C_5C5C_5C5C
      let stops =
        ((quotes &- 0x0101_0101_0101_0101) & ~quotes | (backslashes &- 0x0101_0101_0101_0101) & ~backslashes
          | (eight &- 0x2020_2020_2020_2020) & ~eight) & 0x8080_8080_8080_8080
      if stops != 0 { return at + (stops.trailingZeroBitCount >> 3) }
      at += 8
    }
    while at < text.count, text[at] >= 0x20, text[at] != UInt8(ascii: "\""), text[at] != UInt8(ascii: "\\") {
      place[at] = text[at]
      at += 1
    }
    return at
  }

  private mutating func putEscape(of byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): put("\\\"")
    case UInt8(ascii: "\\"): put("\\\\")
    case 0x08: put("\\b")
    case 0x09: put("\\t")
    case 0x0A: put("\\n")
    case 0x0C: put("\\f")
    case 0x0D: put("\\r")
    default:
      let digits: StaticString = "0123456789abcdef"
      put("\\u00")
      put(digits.utf8Start[Int(byte >> 4)])
      put(digits.utf8Start[Int(byte & 15)])
    }
  }
}
