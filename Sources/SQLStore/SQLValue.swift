// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// One value of a column or parameter, as both engines know it. Times are `integer` milliseconds, booleans 0 or 1, JSON
/// is opaque `text`.
public enum SQLValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  /// Any Unicode text but U+0000, which PostgreSQL cannot hold; both engines refuse it.
  case text(String)
  case blob([UInt8])
}

extension SQLValue {
  public init(_ value: Int64) { self = .integer(value) }
  public init(_ value: Int) { self = .integer(Int64(value)) }
  /// 1 or 0.
  public init(_ value: Bool) { self = .integer(value ? 1 : 0) }
  public init(_ value: Double) { self = .real(value) }
  public init(_ value: String) { self = .text(value) }
  public init(_ value: [UInt8]) { self = .blob(value) }

  public init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }
  public init(_ value: Int?) { self = value.map { .integer(Int64($0)) } ?? .null }
  public init(_ value: Bool?) { self = value.map { SQLValue($0) } ?? .null }
  public init(_ value: Double?) { self = value.map { .real($0) } ?? .null }
  public init(_ value: String?) { self = value.map { .text($0) } ?? .null }
  public init(_ value: [UInt8]?) { self = value.map { .blob($0) } ?? .null }

  public var isNull: Bool { self == .null }
}

extension SQLValue: ExpressibleByNilLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByBooleanLiteral
{
  public init(nilLiteral: ()) { self = .null }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .real(value) }
  public init(stringLiteral value: String) { self = .text(value) }
  public init(booleanLiteral value: Bool) { self = SQLValue(value) }
}
