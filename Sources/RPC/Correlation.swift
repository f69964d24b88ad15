// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// The 16 bytes a hop puts in front of its requests: unguessable, the only key a reply is matched by.
public struct Correlation: Sendable, Hashable {
  public let high: UInt64
  public let low: UInt64
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

extension Correlation {
  /// The 32 hexadecimal digits, as `rpc.cancel` carries it between hops.
  public var hexadecimal: String {
    func padded(_ value: UInt64) -> String {
      let digits = String(value, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }
    return padded(high) + padded(low)
  }

  /// From a JSON string of 32 hexadecimal digits with its quotes.
  init?(quotedHexadecimal bytes: [UInt8]) {
    guard bytes.count == 34 else { return nil }
    let digits = String(decoding: bytes[1..<33], as: UTF8.self)
    guard let high = UInt64(digits.prefix(16), radix: 16), let low = UInt64(digits.suffix(16), radix: 16) else {
      return nil
    }
    self.init(high: high, low: low)
  }
}
