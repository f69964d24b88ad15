// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

extension String {
  /// The text of a scanned string's body, quotes left out, that has escapes.
  ///
  /// The scanner has already refused whatever is malformed, so nothing is checked again.
  init(unescaping body: UnsafeBufferPointer<UInt8>) {
    // No escape is shorter than the UTF-8 it stands for.
    self.init(unsafeUninitializedCapacity: body.count) { text in
      var read = 0
      var written = 0
      func put(_ byte: UInt8) {
        text[written] = byte
        written += 1
      }
      func codeUnit(_ at: Int) -> UInt32 {
        (at..<at + 4).reduce(0) { unit, i in unit << 4 | UInt32(hexadecimalDigit(body[i]) ?? 0) }
      }
      while read < body.count {
        guard body[read] == UInt8(ascii: "\\") else {
          put(body[read])
          read += 1
          continue
        }
        let escaped = body[read + 1]
        read += 2
        switch escaped {
        case UInt8(ascii: "b"): put(0x08)
        case UInt8(ascii: "f"): put(0x0C)
        case UInt8(ascii: "n"): put(0x0A)
        case UInt8(ascii: "r"): put(0x0D)
        case UInt8(ascii: "t"): put(0x09)
        case UInt8(ascii: "u"):
          var scalar = codeUnit(read)
          read += 4
          if scalar & 0xFC00 == 0xD800 {
            scalar = 0x10000 + (scalar & 0x3FF) << 10 + (codeUnit(read + 2) & 0x3FF)
            read += 6
          }
          for byte in UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter {
            put(byte)
          }
        default: put(escaped)
        }
      }
      return written
    }
  }
}
