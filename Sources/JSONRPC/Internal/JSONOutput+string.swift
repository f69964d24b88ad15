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
    var plain = 0
    var at = 0
    while at < text.count {
      let byte = text[at]
      if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
        at += 1
        continue
      }
      put(UnsafeBufferPointer(rebasing: text[plain..<at]))
      putEscape(of: byte)
      at += 1
      plain = at
    }
    put(UnsafeBufferPointer(rebasing: text[plain...]))
    put(UInt8(ascii: "\""))
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
