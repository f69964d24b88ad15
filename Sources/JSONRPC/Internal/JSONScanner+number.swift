// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

extension JSONScanner {
  /// RFC 8259, section 6. True when there is neither fraction nor exponent.
  @inline(__always)
  func number(_ at: inout Int) throws(JSONSyntaxError) -> Bool {
    if byte(at) == UInt8(ascii: "-") { at += 1 }
    guard isDigit(at) else { throw JSONSyntaxError(.invalidNumber, at) }
    if byte(at) == UInt8(ascii: "0") { at += 1 } else { skipDigits(&at) }
    guard at < count else { return true }
    var isInteger = true
    if byte(at) == UInt8(ascii: ".") {
      isInteger = false
      at += 1
      guard isDigit(at) else { throw JSONSyntaxError(.invalidNumber, at) }
      skipDigits(&at)
    }
    if at < count, byte(at) | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      at += 1
      if at < count, byte(at) == UInt8(ascii: "+") || byte(at) == UInt8(ascii: "-") { at += 1 }
      guard isDigit(at) else { throw JSONSyntaxError(.invalidNumber, at) }
      skipDigits(&at)
    }
    return isInteger
  }

  @inline(__always)
  private func isDigit(_ at: Int) -> Bool { at < count && byte(at) &- UInt8(ascii: "0") < 10 }

  @inline(__always)
  private func skipDigits(_ at: inout Int) {
    while isDigit(at) { at += 1 }
  }
}
