// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import PostgreSQL
internal import SQLStore

/// Brings components' schemas up to date under a lock row, so that replicas that start at once do it once, each migration
/// in a transaction with the note that it was applied.
///
/// A program takes a store whose schema is one version newer than it knows, so that old replicas go on, and start again,
/// while new ones are rolled out: a migration must leave what the version before it reads and writes.
struct Migrator {
  private let connection: Connection
  private var dialect: PostgreSQLDialect
  private static let patienceMilliseconds: Int64 = 60_000
  /// A row that is changed and finds room on its page leaves the indexes as they are (the manual's "Heap-Only Tuples").
  private static let filledPercent = 70

  init(_ connection: Connection, schema: String) {
    self.connection = connection
    dialect = PostgreSQLDialect(schema: schema)
  }

  /// - Returns: the schema's tables.
  mutating func apply(_ migrations: [Migration]) throws -> Set<String> {
    try patiently { this in
      if try this.tables().isSuperset(of: ["schema_migration", "schema_lock"]) { return }
      // A role may own its schema and be allowed to make none: then not even IF NOT EXISTS is.
      if try !this.hasSchema() { try this.connection.execute("CREATE SCHEMA IF NOT EXISTS \(this.dialect.schema)") }
      try this.connection.execute(
        """
        CREATE TABLE IF NOT EXISTS \(this.dialect.schema).schema_lock (one BIGINT PRIMARY KEY);
        INSERT INTO \(this.dialect.schema).schema_lock (one) VALUES (1) ON CONFLICT DO NOTHING;
        CREATE TABLE IF NOT EXISTS \(this.dialect.schema).schema_migration (
          component TEXT COLLATE "C" NOT NULL, version BIGINT NOT NULL, name TEXT NOT NULL, checksum BIGINT NOT NULL,
          PRIMARY KEY (component, version))
        """)
    }
    dialect.tables = try patiently { this in try this.tables() }
    var components: [String] = []
    for migration in migrations where !components.contains(migration.component) {
      components.append(migration.component)
    }
    for component in components {
      try apply(migrations.filter { $0.component == component }, of: component)
    }
    return try patiently { this in try this.tables() }
  }

  private mutating func apply(_ migrations: [Migration], of component: String) throws {
    guard migrations.map(\.version) == Array(1...migrations.count) else {
      throw SQLStoreError(.failed, "migrations of \(component) are not numbered 1, 2, 3 …")
    }
    // One at a time, each under the lock: another replica may have applied it meanwhile.
    while true {
      let next: Int? = try patiently { this in
        try this.connection.execute("BEGIN; SELECT one FROM \(this.dialect.schema).schema_lock FOR UPDATE")
        let known = try this.check(migrations, of: component)
        guard known < migrations.count else {
          try this.connection.execute("COMMIT")
          return nil
        }
        try this.apply(migrations[known])
        return known
      }
      if next == nil { return }
    }
  }

  /// - Returns: how many are applied.
  private func check(_ migrations: [Migration], of component: String) throws -> Int {
    let parameters = Parameters()
    parameters.append(component)
    let applied = try SQLRows(
      connection.query(
        "SELECT version, name, checksum FROM \(dialect.schema).schema_migration WHERE component = $1 ORDER BY version",
        parameters))
    guard applied.count <= migrations.count + 1 else {
      throw SQLStoreError(
        .failed,
        "the store's schema of \(component) is version \(applied.count), more than one newer than this program knows "
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
    return applied.count
  }

  private mutating func apply(_ migration: Migration) throws {
    if let loose = PostgreSQLDialect.looseTable(in: migration.sql) {
      throw SQLStoreError(
        .failed,
        "migration \(migration.version) (\(migration.name)) of \(migration.component): table \(loose) is not STRICT")
    }
    do throws(PostgreSQLError) {
      if !migration.forWholePages { try connection.execute(dialect.translate(migration: migration.sql)) }
      for table in migration.rewritten {
        try connection.execute("ALTER TABLE \(dialect.schema).\(table) SET (fillfactor = \(Self.filledPercent))")
      }
      let parameters = Parameters()
      parameters.append(migration.component)
      parameters.append(Int64(migration.version))
      parameters.append(migration.name)
      parameters.append(migration.checksum)
      _ = try connection.query(
        "INSERT INTO \(dialect.schema).schema_migration (component, version, name, checksum) VALUES ($1, $2, $3, $4)",
        parameters)
      try connection.execute("COMMIT")
    } catch {
      guard !error.isConflict, !error.isConnectionLost else { throw error }
      throw SQLStoreError(
        .failed,
        "migration \(migration.version) (\(migration.name)) of \(migration.component): \(error.description)")
    }
  }

  private func hasSchema() throws(PostgreSQLError) -> Bool {
    try !connection.execute("SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = \(dialect.schemaLiteral)").isEmpty
  }

  /// What is there of the schema.
  func tables() throws(PostgreSQLError) -> Set<String> {
    let names = try connection.execute(
      "SELECT c.relname FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'p') AND c.relnamespace = "
        + "(SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname = \(dialect.schemaLiteral))")
    return Set(names.compactMap { $0[0] })
  }

  /// Again while another replica is at it: its lock is not free, or it made the same just now.
  private mutating func patiently<R>(_ body: (inout Migrator) throws -> R) throws -> R {
    let end = ConnectionPool.now() + Self.patienceMilliseconds
    while true {
      do {
        return try body(&self)
      } catch {
        _ = try? connection.execute("ROLLBACK")
        guard let failure = error as? PostgreSQLError else { throw error }
        guard failure.isConflict || failure.isDuplicateObject, ConnectionPool.now() < end else {
          throw SQLStoreError(failure)
        }
        usleep(UInt32.random(in: 10_000...50_000))
      }
    }
  }
}
