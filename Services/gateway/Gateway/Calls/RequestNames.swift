// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Names that the gateway makes: request ids, traces, idempotency keys. Unique among all gateways by a number of this
/// process; none of them is a secret. The first two are made for each call, hence digit by digit.
struct RequestNames {
  private let instance = UInt64.random(in: 1 ... .max)
  private let instanceText: String
  private var count: UInt64 = 0

  init() {
    let instance = instance
    instanceText = String(unsafeUninitializedCapacity: 16) { text in
      writeHex(instance, 16, to: text.baseAddress!)
      return 16
    }
  }

  /// Six digits of this process, a dash, the call's number in base 36: for the first 2.8 trillion calls at most 15 bytes,
  /// which a String holds without a heap object.
  mutating func next() -> String {
    count += 1
    let (instance, count) = (instance, count)
    return String(unsafeUninitializedCapacity: 20) { text in
      let start = text.baseAddress!
      writeHex(instance, 6, to: start)
      start[6] = UInt8(ascii: "-")
      return 7 + writeBase36(count, to: start + 7)
    }
  }

  /// For a write that came without a key, so that it can be repeated within the gateway.
  func idempotencyKey(_ requestId: String) -> String { "gateway-\(instanceText)-\(requestId)" }

  /// A W3C trace context for a call that came without one: version 00, not sampled.
  func appendTraceparent(to bytes: inout [UInt8]) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 55) { text in
      let start = text.baseAddress!
      text.initialize(repeating: UInt8(ascii: "0"))
      start[2] = UInt8(ascii: "-")
      writeHex(instance, 16, to: start + 3)
      writeHex(count, 16, to: start + 19)
      start[35] = UInt8(ascii: "-")
      // Not zero, and another number than the trace's: an odd multiple mixes the count over all bits.
      writeHex((instance ^ count &* 0x9E37_79B9_7F4A_7C15) | 1, 16, to: start + 36)
      start[52] = UInt8(ascii: "-")
      bytes.append(contentsOf: text)
    }
  }
}

private let digits: StaticString = "0123456789abcdefghijklmnopqrstuvwxyz"

/// - Precondition: `value` is below 36.
@inline(__always)
private func digit(_ value: UInt64) -> UInt8 { digits.utf8Start[Int(truncatingIfNeeded: value)] }

/// The lowest `count` hexadecimal digits, lower case.
@inline(__always)
private func writeHex(_ value: UInt64, _ count: Int, to text: UnsafeMutablePointer<UInt8>) {
  var rest = value
  var place = text + count
  while place > text {
    place -= 1
    place.pointee = digit(rest & 15)
    rest &>>= 4
  }
}

/// - Returns: how many digits, at most 13.
private func writeBase36(_ value: UInt64, to text: UnsafeMutablePointer<UInt8>) -> Int {
  var count = 1
  var rest = value / 36
  while rest > 0 {
    count += 1
    rest /= 36
  }
  rest = value
  for index in (0..<count).reversed() {
    text[index] = digit(rest % 36)
    rest /= 36
  }
  return count
}
