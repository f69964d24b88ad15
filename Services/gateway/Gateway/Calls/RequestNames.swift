// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Tracing

/// Names that the gateway makes: request ids and idempotency keys, unique among all gateways by a number of this process,
/// and traces; none of them is a secret. A request id is made for each call, hence digit by digit.
struct RequestNames {
  private let instance = UInt64.random(in: 1 ... .max)
  private let instanceText: String
  private var count: UInt64 = 0
  var traces = TraceIDs()

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

  /// Whether a client's name for its calls is taken over: 1 to 64 of `A-Z a-z 0-9 . _ -`, so that it can stand in logs and in
  /// JSON as it is, and holds no e-mail address.
  static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }

  /// For a write that came without a key, so that it can be repeated within the gateway.
  func idempotencyKey(_ requestId: String) -> String { "gateway-\(instanceText)-\(requestId)" }
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
