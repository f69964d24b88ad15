// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC

extension ReplyMetadata {
  /// Appends this as JSON, members in a fixed order.
  func append(to bytes: inout [UInt8]) {
    var separator = UInt8(ascii: "{")
    func name(_ name: StaticString) {
      bytes.append(separator)
      separator = UInt8(ascii: ",")
      bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }
    if let instance {
      name(#""instance":""#)
      // An instance is letters and digits; anything else would need escapes.
      for byte in instance.utf8 where byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") {
        bytes.append(byte)
      }
      bytes.append(UInt8(ascii: "\""))
    }
    if let serverNow {
      name(#""serverNow":"#)
      bytes.appendDecimal(serverNow)
    }
    if let draining { name(draining ? #""draining":true"# : #""draining":false"#) }
    if let retryAfterMs {
      name(#""retryAfterMs":"#)
      bytes.appendDecimal(Int64(retryAfterMs))
    }
    if let errorCode {
      name(#""errorCode":"#)
      bytes.appendDecimal(Int64(errorCode))
    }
    if separator == UInt8(ascii: "{") { bytes.append(separator) }
    bytes.append(UInt8(ascii: "}"))
  }
}

extension [UInt8] {
  mutating func appendDecimal(_ value: Int64) {
    if value < 0 { append(UInt8(ascii: "-")) }
    var rest = value.magnitude
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var start = 20
      repeat {
        start -= 1
        digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
    }
  }

  mutating func append(_ text: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}
