// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import PostgreSQL
internal import SQLStore

extension SQLStoreError {
  static let closed = SQLStoreError(.unavailable, "the store is closed")

  /// What a failure before the COMMIT means to the caller whose statement it was: nothing was done. A COMMIT that was on
  /// its way is judged where it was sent.
  init(_ error: PostgreSQLError) {
    let kind: Kind =
      if error.isConflict {
        .conflict
      } else if error.isConnectionLost || error.isOutOfResources {
        .unavailable
      } else {
        .failed
      }
    self.init(kind, error.description)
  }
}

extension SQLRows {
  init(_ result: QueryResult) throws(PostgreSQLError) {
    guard result.columnCount > 0 else {
      self = .none
      return
    }
    var values: [SQLValue] = []
    values.reserveCapacity(result.rowCount * result.columnCount)
    for row in 0..<result.rowCount {
      for column in 0..<result.columnCount {
        switch try result.value(row, column) {
        case .null: values.append(.null)
        case .integer(let value): values.append(.integer(value))
        case .real(let value): values.append(.real(value))
        case .text(let value): values.append(.text(value))
        case .bytes(let value): values.append(.blob(value))
        }
      }
    }
    self.init(columnCount: result.columnCount, values: values)
  }
}

extension SQLStatement {
  /// The server would refuse U+0000 in a text, and with it everything else in the transaction.
  func checkText() throws(SQLStoreError) {
    for (index, parameter) in parameters.enumerated() {
      guard case .text(var text) = parameter, text.withUTF8(Self.holdsNull)
      else { continue }
      throw SQLStoreError(.failed, "parameter $\(index + 1) contains U+0000")
    }
  }

  private static func holdsNull(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    text.baseAddress.map { memchr($0, 0, text.count) != nil } ?? false
  }
}
