// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import SQLStore
internal import SQLite

/// What SQLite's planner is told of the tables: many rows, and of one app.
///
/// Every key and index begins with `app`. Without statistics the planner takes any column for selective, so it may search
/// a table by `app` alone, which is all of it, where an index by `app` and account is there. Measuring (`ANALYZE`) would
/// need data first and time at start, so the numbers are made up; they say no more than that `app` selects nothing and
/// that what follows it does.
///
/// Source: sqlite.org/fileformat2.html, section 2.6.3, for the form of `sqlite_stat1`.
struct PlannerStatistics {
  private static let rows = 1_000_000
  /// Rows that agree in `app` and a further column of an index that is not unique.
  private static let rowsOfOneKey = 10

  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// Whether there are any.
  func exist() throws(SQLStoreError) -> Bool {
    try !connection.rows(SQLStatement("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'")).isEmpty
  }

  /// Writes them for the indexes there are, and has this connection use them; others do when they open the file.
  func assume() throws(SQLStoreError) {
    try execute("BEGIN IMMEDIATE")
    do throws(SQLStoreError) {
      try write()
      try execute("COMMIT")
    } catch {
      if connection.isInTransaction { try? execute("ROLLBACK") }
      throw error
    }
    try execute("ANALYZE sqlite_schema")
  }

  private func write() throws(SQLStoreError) {
    // The table cannot be made by hand; looking at a table of few rows makes it.
    try execute("ANALYZE schema_migration")
    try execute("DELETE FROM sqlite_stat1")
    let columns = try connection.rows(
      SQLStatement(
        """
        SELECT t.name, i.name, i."unique", c.name FROM sqlite_schema t
        JOIN pragma_index_list(t.name) i JOIN pragma_index_info(i.name) c
        WHERE t.type = 'table' AND substr(t.name, 1, 7) <> 'sqlite_' ORDER BY t.name, i.name, c.seqno
        """))
    var first = columns.startIndex
    while first < columns.endIndex {
      let index = columns[first].text(1)
      let last = columns[first...].lastIndex { $0.text(1) == index && $0.text(0) == columns[first].text(0) }!
      var numbers = [Self.rows]
      for place in first...last {
        let selectsNothing = place == first && columns[place].optionalText(3) == "app"
        let isWholeKey = columns[place].bool(2) && place == last
        numbers.append(isWholeKey ? 1 : selectsNothing ? Self.rows : Self.rowsOfOneKey)
      }
      try connection.run(
        SQLStatement(
          "INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ($1, $2, $3)", .text(columns[first].text(0)),
          .text(index), .text(numbers.map(String.init).joined(separator: " "))))
      first = last + 1
    }
  }

  private func execute(_ sql: String) throws(SQLStoreError) {
    do throws(SQLiteError) { try connection.execute(sql) } catch { throw SQLStoreError(error) }
  }
}
