// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SQLStoreSQLite

@Suite struct SQLiteDialectTests {
  @Test(arguments: [
    ("a BIGINT NOT NULL, b bigint", "a INTEGER NOT NULL, b INTEGER"),
    ("a TEXT COLLATE \"C\" NOT NULL", "a TEXT  NOT NULL"),
    ("a TEXT DEFAULT 'BIGINT ''BIGINT'''", "a TEXT DEFAULT 'BIGINT ''BIGINT'''"),
    ("\"BIGINT\" TEXT -- a BIGINT\n, b BIGINT", "\"BIGINT\" TEXT -- a BIGINT\n, b INTEGER"),
    ("big_BIGINT_int TEXT, BIGINTS TEXT", "big_BIGINT_int TEXT, BIGINTS TEXT"),
    ("a TEXT COLLATE NOCASE", "a TEXT COLLATE NOCASE"), ("'open", "'open"), ("", ""),
  ])
  func turnsTypesIntoSQLites(common: String, sqlite: String) {
    #expect(SQLiteDialect.translate(common) == sqlite)
  }
}
