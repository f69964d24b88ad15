// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// What a statement returned: rows of equally many values.
public struct SQLRows: Sendable, RandomAccessCollection {
  /// Row after row.
  let values: [SQLValue]
  let columnCount: Int
  public let count: Int

  /// - Parameter values: row after row, `columnCount` values each.
  public init(columnCount: Int, values: [SQLValue]) {
    precondition(columnCount > 0 ? values.count % columnCount == 0 : values.isEmpty, "rows of unequal width")
    self.values = values
    self.columnCount = columnCount
    count = columnCount > 0 ? values.count / columnCount : 0
  }

  public static let none = SQLRows(columnCount: 0, values: [])

  public var startIndex: Int { 0 }
  public var endIndex: Int { count }
  public subscript(index: Int) -> SQLRow {
    precondition(index >= 0 && index < count, "row \(index) of \(count)")
    return SQLRow(values: values, start: index * columnCount, columnCount: columnCount)
  }
}

/// One row; columns by position. Asking for another type than the column has, or for a value where there is NULL, is a
/// programming error (tables are STRICT) and traps.
public struct SQLRow: Sendable {
  let values: [SQLValue]
  let start: Int
  public let columnCount: Int

  public subscript(column: Int) -> SQLValue {
    precondition(column >= 0 && column < columnCount, "column \(column) of \(columnCount)")
    return values[start + column]
  }

  public func isNull(_ column: Int) -> Bool { self[column].isNull }
  public func int(_ column: Int) -> Int64 { optionalInt(column) ?? unexpectedNull(column) }
  public func bool(_ column: Int) -> Bool { int(column) != 0 }
  public func real(_ column: Int) -> Double { optionalReal(column) ?? unexpectedNull(column) }
  public func text(_ column: Int) -> String { optionalText(column) ?? unexpectedNull(column) }
  public func blob(_ column: Int) -> [UInt8] { optionalBlob(column) ?? unexpectedNull(column) }

  public func optionalInt(_ column: Int) -> Int64? {
    switch self[column] {
    case .null: nil
    case .integer(let value): value
    default: preconditionFailure("column \(column) is not an integer")
    }
  }
  public func optionalBool(_ column: Int) -> Bool? { optionalInt(column).map { $0 != 0 } }
  public func optionalReal(_ column: Int) -> Double? {
    switch self[column] {
    case .null: nil
    case .real(let value): value
    default: preconditionFailure("column \(column) is not a real number")
    }
  }
  public func optionalText(_ column: Int) -> String? {
    switch self[column] {
    case .null: nil
    case .text(let value): value
    default: preconditionFailure("column \(column) is not text")
    }
  }
  public func optionalBlob(_ column: Int) -> [UInt8]? {
    switch self[column] {
    case .null: nil
    case .blob(let value): value
    default: preconditionFailure("column \(column) is not a blob")
    }
  }

  private func unexpectedNull<T>(_ column: Int) -> T { preconditionFailure("column \(column) is NULL") }
}
