// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// A statement and its parameters, `$1`, `$2` …, bound by number. A literal, so that each engine prepares it once and no
/// text of a caller ever becomes SQL. It may be DML with `RETURNING`.
public struct SQLStatement: Sendable {
  public let sql: StaticString
  /// Takes the row that writes are ordered by, such as a subject's head; the parameters name that row. Writes that take
  /// other rows have no order among them, so a store may run several such writes side by side in one transaction.
  public let isLock: Bool
  public let parameters: [SQLValue]

  public init(_ sql: StaticString, _ parameters: SQLValue...) {
    self.init(sql, parameters: parameters)
  }

  public init(lock sql: StaticString, _ parameters: SQLValue...) {
    self.init(sql, parameters: parameters, isLock: true)
  }

  public init(_ sql: StaticString, parameters: [SQLValue], isLock: Bool = false) {
    self.sql = sql
    self.parameters = parameters
    self.isLock = isLock
  }
}
