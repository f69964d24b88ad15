// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import SQLStore
import StoreTesting
import Testing

@Suite struct PlannerStatisticsTests {
  private static let migration = Migration(
    version: 1, name: "start",
    sql: """
      CREATE TABLE thing (
        app TEXT NOT NULL, id TEXT NOT NULL, owner TEXT, at BIGINT NOT NULL, PRIMARY KEY (app, id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX thing_owner ON thing (app, owner);
      """)
  private static let second = Migration(
    version: 2, name: "time", sql: "CREATE INDEX thing_at ON thing (app, at) WHERE at > 0;")

  private static let byOwner: StaticString =
    "EXPLAIN QUERY PLAN SELECT at FROM thing WHERE app = $1 AND owner = $2 ORDER BY id"
  private static let byTime: StaticString =
    "EXPLAIN QUERY PLAN SELECT id FROM thing WHERE app = $1 AND at > 0 AND at < $2"

  private func plan(_ rows: SQLRows) -> String { rows.map { $0.text(3) }.joined(separator: "; ") }

  @Test func anIndexIsPreferredToAllRowsOfAnApp() async throws {
    let test = try TestStore(migrations: [Self.migration])
    let statement = SQLStatement(Self.byOwner, "app", "owner")
    #expect(plan(try await test.store.read(statement)).contains("thing_owner (app=? AND owner=?)"))
    let writing = try await test.store.write([statement]) { rows, _ in rows[0] }
    #expect(plan(writing).contains("thing_owner (app=? AND owner=?)"))
    try test.reopen()
    try test.store.migrate([Self.migration])
    #expect(plan(try await test.store.read(statement)).contains("thing_owner (app=? AND owner=?)"))
  }

  @Test func theyAreWrittenAgainForALaterMigration() async throws {
    let test = try TestStore(migrations: [Self.migration])
    try test.store.migrate([Self.migration, Self.second])
    let statement = SQLStatement(Self.byTime, "app", 5)
    #expect(plan(try await test.store.read(statement)).contains("thing_at (app=?"))
    let written = try await test.store.read(
      SQLStatement("SELECT idx, stat FROM sqlite_stat1 WHERE tbl = 'thing' ORDER BY idx"))
    #expect(
      written.map { "\($0.text(0)) \($0.text(1))" } == [
        "sqlite_autoindex_thing_1 1000000 1000000 1", "thing_at 1000000 1000000 10",
        "thing_owner 1000000 1000000 10",
      ])
  }
}
