// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// A moment, in milliseconds since 1970-01-01 UTC; on the wire ISO 8601 UTC with milliseconds,
/// `2026-01-02T03:04:05.678Z`.
public struct Timestamp: Sendable, Hashable, Comparable {
  public var milliseconds: Int64
  public init(milliseconds: Int64) { self.milliseconds = milliseconds }
  public static func < (a: Timestamp, b: Timestamp) -> Bool { a.milliseconds < b.milliseconds }
  public static func + (a: Timestamp, milliseconds: Int64) -> Timestamp {
    Timestamp(milliseconds: a.milliseconds + milliseconds)
  }
}

extension Timestamp: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let timestamp = Timestamp(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: Timestamp.expectation)
    }
    self = timestamp
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
