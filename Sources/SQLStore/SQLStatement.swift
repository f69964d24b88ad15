// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// A statement and its parameters, `$1`, `$2` …, bound by number. A literal, so that each engine prepares it once and no
/// text of a caller ever becomes SQL. It may be DML with `RETURNING`.
public struct SQLStatement: Sendable {
  public let sql: StaticString
  public let parameters: [SQLValue]

  public init(_ sql: StaticString, _ parameters: SQLValue...) {
    self.init(sql, parameters: parameters)
  }

  public init(_ sql: StaticString, parameters: [SQLValue]) {
    self.sql = sql
    self.parameters = parameters
  }
}
