// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import SQLStore
internal import SQLite

extension Connection {
  /// Runs a statement and reads all it returns.
  func rows(_ statement: SQLStatement) throws(SQLStoreError) -> SQLRows {
    do throws(SQLiteError) {
      let prepared = try bound(statement)
      defer { prepared.reset() }
      let width = prepared.columnCount
      guard width > 0 else {
        while try prepared.step() {}
        return .none
      }
      var values: [SQLValue] = []
      while try prepared.step() {
        // One row is what most statements return.
        if values.isEmpty { values.reserveCapacity(width) }
        for column in 0..<width { values.append(prepared.value(column)) }
      }
      return SQLRows(columnCount: width, values: values)
    } catch {
      throw SQLStoreError(error)
    }
  }

  /// Runs a statement whose rows nobody wants.
  func run(_ statement: SQLStatement) throws(SQLStoreError) {
    do throws(SQLiteError) { try bound(statement).run() } catch { throw SQLStoreError(error) }
  }

  private func bound(_ statement: SQLStatement) throws(SQLiteError) -> Statement {
    let prepared = try self.statement(statement.sql)
    let parameters = statement.parameters
    guard parameters.count == prepared.parameterCount else {
      throw SQLiteError(
        code: 21, message: "\(parameters.count) parameters for a statement of \(prepared.parameterCount)")
    }
    prepared.makeRoom(byteCount: parameters.reduce(0) { $0 + $1.byteCount })
    do throws(SQLiteError) {
      for index in parameters.indices { try prepared.bind(index + 1, value: parameters[index]) }
    } catch {
      prepared.reset()
      throw error
    }
    return prepared
  }
}

extension SQLValue {
  /// Of its text or bytes.
  fileprivate var byteCount: Int {
    switch self {
    case .text(let text): text.utf8.count
    case .blob(let bytes): bytes.count
    case .null, .integer, .real: 0
    }
  }
}

extension Statement {
  fileprivate func bind(_ number: Int, value: SQLValue) throws(SQLiteError) {
    switch value {
    case .null: try bindNull(number)
    case .integer(let value): try bind(number, value)
    case .real(let value): try bind(number, value)
    case .text(let value): try bind(number, value)
    case .blob(let value): try bind(number, value)
    }
  }

  fileprivate func value(_ column: Int) -> SQLValue {
    switch type(of: column) {
    case .null: .null
    case .integer: .integer(integer(column))
    case .real: .real(real(column))
    case .text: .text(text(column))
    case .blob: .blob(blob(column))
    }
  }
}
