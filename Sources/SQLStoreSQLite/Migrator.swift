// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import SQLStore
internal import SQLite

/// Brings components' schemas up to date, each migration in a transaction with the note that it was applied.
struct Migrator {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  func apply(_ migrations: [Migration]) throws(SQLStoreError) {
    try execute(
      """
      CREATE TABLE IF NOT EXISTS schema_migration (
        component TEXT NOT NULL, version INTEGER NOT NULL, name TEXT NOT NULL, checksum INTEGER NOT NULL,
        PRIMARY KEY (component, version)
      ) STRICT, WITHOUT ROWID
      """)
    var components: [String] = []
    for migration in migrations where !components.contains(migration.component) {
      components.append(migration.component)
    }
    var isChanged = false
    for component in components {
      if try apply(migrations.filter { $0.component == component }, of: component) { isChanged = true }
    }
    let statistics = PlannerStatistics(connection)
    if !isChanged { isChanged = try !statistics.exist() }
    if isChanged { try statistics.assume() }
  }

  /// - Returns: whether there was something to apply.
  private func apply(_ migrations: [Migration], of component: String) throws(SQLStoreError) -> Bool {
    guard migrations.map(\.version) == Array(1...migrations.count) else {
      throw SQLStoreError(.failed, "migrations of \(component) are not numbered 1, 2, 3 …")
    }
    let applied = try connection.rows(
      SQLStatement(
        "SELECT version, name, checksum FROM schema_migration WHERE component = $1 ORDER BY version", .text(component)))
    guard applied.count <= migrations.count else {
      throw SQLStoreError(
        .failed,
        "the store's schema of \(component) is version \(applied.count), newer than this program knows "
          + "(\(migrations.count)): start a newer program")
    }
    for (row, migration) in zip(applied, migrations) {
      guard row.int(0) == Int64(migration.version), row.int(2) == migration.checksum else {
        throw SQLStoreError(
          .failed,
          "migration \(migration.version) (\(migration.name)) of \(component) is not the one that was applied "
            + "(\(row.text(1))): migrations are never changed")
      }
    }
    for migration in migrations.dropFirst(applied.count) { try apply(migration) }
    return applied.count < migrations.count
  }

  private func apply(_ migration: Migration) throws(SQLStoreError) {
    do throws(SQLStoreError) {
      try execute("BEGIN IMMEDIATE")
      try execute(SQLiteDialect.translate(migration.sql))
      try checkStrict()
      try connection.run(
        SQLStatement(
          "INSERT INTO schema_migration (component, version, name, checksum) VALUES ($1, $2, $3, $4)",
          .text(migration.component), SQLValue(migration.version), .text(migration.name), .integer(migration.checksum)))
      try execute("COMMIT")
    } catch {
      if connection.isInTransaction { try? execute("ROLLBACK") }
      throw SQLStoreError(
        error.kind,
        "migration \(migration.version) (\(migration.name)) of \(migration.component): \(error.message)",
        code: error.code)
    }
  }

  /// Without STRICT a column takes any type, and a text where PostgreSQL wants a number is found too late.
  private func checkStrict() throws(SQLStoreError) {
    let loose = try connection.rows(
      SQLStatement(
        """
        SELECT name FROM pragma_table_list
        WHERE schema = 'main' AND type = 'table' AND strict = 0 AND substr(name, 1, 7) <> 'sqlite_'
        """))
    if let first = loose.first { throw SQLStoreError(.failed, "table \(first.text(0)) is not STRICT") }
  }

  private func execute(_ sql: String) throws(SQLStoreError) {
    do throws(SQLiteError) { try connection.execute(sql) } catch { throw SQLStoreError(error) }
  }
}
