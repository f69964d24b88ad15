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

extension Timestamp: Codable, CustomStringConvertible {
  /// Nil unless `text` is ISO 8601 in UTC.
  public init?(_ text: String) { fatalError("pending") }
  public var description: String { fatalError("pending") }
  public init(from decoder: any Decoder) throws { fatalError("pending") }
  public func encode(to encoder: any Encoder) throws { fatalError("pending") }
}
