// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

extension JSONScanner {
  /// RFC 8259, section 7. Starts on the opening quote, ends after the closing one.
  func string(_ at: inout Int, _ tape: inout TapeStorage) throws(JSONSyntaxError) {
    let start = at
    var isEscaped = false
    var marks: TokenMarks = []
    at += 1
    while true {
      skipPlainText(&at)
      guard at < count else { throw JSONSyntaxError(.endOfInput, at) }
      switch byte(at) {
      case UInt8(ascii: "\""):
        at += 1
        tape.push(isEscaped ? .escapedString : .string, start, at, marks: marks)
        return
      case UInt8(ascii: "\\"):
        isEscaped = true
        if try escape(&at) == 0 {
          marks = .holdsNUL
          tape.holdsNUL = true
        }
      case 0..<0x20: throw JSONSyntaxError(.unexpectedByte, at)
      case 0x20..<0x80: at += 1
      default: try multibyte(&at)
      }
    }
  }

  /// Eight bytes at a time, to about the first that is a quote, a backslash, a control or not ASCII.
  ///
  /// The borrow of each subtraction can run into the next byte only after a byte that stops the search anyway, and the
  /// lowest one wins, so the search never goes past one of these.
  @inline(__always)
  private func skipPlainText(_ at: inout Int) {
    while at + 8 <= count {
      let eight = word(at)
      let quotes = (eight ^ 0x2222_2222_2222_2222) &- 0x0101_0101_0101_0101
      let backslashes = (eight ^ 0x5C5C_5C5C_5C5C_5C5C) &- 0x0101_0101_0101_0101
      let controls = eight &- 0x2020_2020_2020_2020
      let stops = (eight | quotes | backslashes | controls) & 0x8080_8080_8080_8080
      if stops != 0 {
        at += stops.trailingZeroBitCount >> 3
        return
      }
      at += 8
    }
  }

  /// - Returns: the UTF-16 code unit of a `\u` escape, or 1 for the others.
  private func escape(_ at: inout Int) throws(JSONSyntaxError) -> UInt16 {
    guard at + 1 < count else { throw JSONSyntaxError(.endOfInput, at) }
    switch byte(at + 1) {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      at += 2
      return 1
    case UInt8(ascii: "u"):
      guard let unit = codeUnit(at + 2) else { throw JSONSyntaxError(.invalidEscape, at) }
      switch unit {
      case 0xD800...0xDBFF:
        guard at + 8 <= count, byte(at + 6) == UInt8(ascii: "\\"), byte(at + 7) == UInt8(ascii: "u"),
          let second = codeUnit(at + 8), 0xDC00...0xDFFF ~= second
        else { throw JSONSyntaxError(.invalidEscape, at) }
        at += 12
      case 0xDC00...0xDFFF: throw JSONSyntaxError(.invalidEscape, at)
      default: at += 6
      }
      return unit
    default: throw JSONSyntaxError(.invalidEscape, at)
    }
  }

  /// Four hexadecimal digits.
  private func codeUnit(_ at: Int) -> UInt16? {
    guard at + 4 <= count else { return nil }
    var unit: UInt16 = 0
    for i in at..<at + 4 {
      guard let digit = hexadecimalDigit(byte(i)) else { return nil }
      unit = unit << 4 | digit
    }
    return unit
  }

  /// RFC 3629, section 4: no overlong forms, no surrogates, nothing above U+10FFFF.
  private func multibyte(_ at: inout Int) throws(JSONSyntaxError) {
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch byte(at) {
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: length = 4
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: throw JSONSyntaxError(.invalidUTF8, at)
    }
    guard at + length <= count, second ~= byte(at + 1) else { throw JSONSyntaxError(.invalidUTF8, at) }
    for i in at + 2..<max(at + 2, at + length) where byte(i) & 0xC0 != 0x80 {
      throw JSONSyntaxError(.invalidUTF8, at)
    }
    at += length
  }
}

@inline(__always)
func hexadecimalDigit(_ character: UInt8) -> UInt16? {
  switch character {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(character &- UInt8(ascii: "0"))
  case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(character &- UInt8(ascii: "a") &+ 10)
  case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(character &- UInt8(ascii: "A") &+ 10)
  default: nil
  }
}
