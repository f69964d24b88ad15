// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Names that the gateway makes: request ids, traces, idempotency keys. Unique among all gateways by a number of this
/// process; none of them is a secret.
struct RequestNames {
  private let instance = UInt64.random(in: 1 ... .max)
  private let instanceText: String
  private var count: UInt64 = 0

  init() { instanceText = hex(instance) }

  /// Made for each call.
  mutating func next() -> String {
    count += 1
    return instanceText.suffix(8) + "-" + String(count, radix: 16)
  }

  /// For a write that came without a key, so that it can be repeated within the gateway.
  func idempotencyKey(_ requestId: String) -> String { "gateway-\(instanceText)-\(requestId)" }

  /// A W3C trace context for a call that came without one: version 00, not sampled.
  func appendTraceparent(to bytes: inout [UInt8]) {
    bytes.append(contentsOf: "00-".utf8)
    appendHex(instance, to: &bytes)
    appendHex(count, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    // Not zero, and another number than the trace's: an odd multiple mixes the count over all bits.
    appendHex((instance ^ count &* 0x9E37_79B9_7F4A_7C15) | 1, to: &bytes)
    bytes.append(contentsOf: "-00".utf8)
  }
}

private func hex(_ value: UInt64) -> String {
  var bytes: [UInt8] = []
  appendHex(value, to: &bytes)
  return String(decoding: bytes, as: UTF8.self)
}

/// The 16 lower-case digits.
private func appendHex(_ value: UInt64, to bytes: inout [UInt8]) {
  for shift in stride(from: 60, through: 0, by: -4) {
    let digit = UInt8(truncatingIfNeeded: value >> UInt64(shift)) & 15
    bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
  }
}
