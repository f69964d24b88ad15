// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import PostgreSQL
import SQLStore
import StoreTesting
import Testing

@testable import SQLStorePostgreSQL

/// Many statements as one.
@Suite struct BatchTextTests {
  @Test(arguments: [
    (
      "SELECT a, b FROM t WHERE k = $1 AND l = $2 ORDER BY a",
      "SELECT b.p_0, s.* FROM (SELECT generate_subscripts($1, 1) AS p_0, unnest($1) AS p_1, unnest($2) AS p_2) AS b "
        + "CROSS JOIN LATERAL (SELECT a, b FROM t WHERE k = b.p_1 AND l = b.p_2 ORDER BY a) AS s"
    ),
    (
      "DELETE FROM s.t WHERE k = $1 AND at <= $2",
      "DELETE FROM s.t USING (SELECT unnest($1) AS p_1, unnest($2) AS p_2) AS b WHERE k = b.p_1 AND at <= b.p_2"
    ),
    (
      "UPDATE s.t SET v = $3, n = n + 1 WHERE k = $1 AND l = $2",
      "UPDATE s.t SET v = b.p_3, n = n + 1 "
        + "FROM (SELECT unnest($1) AS p_1, unnest($2) AS p_2, unnest($3) AS p_3) AS b WHERE k = b.p_1 AND l = b.p_2"
    ),
    (
      "INSERT INTO t (k, n, v) VALUES ($1, 1, $2) ON CONFLICT (k) DO UPDATE SET v = excluded.v",
      "INSERT INTO t (k, n, v) SELECT b.p_1, 1, b.p_2 FROM (SELECT unnest($1) AS p_1, unnest($2) AS p_2) AS b "
        + "ON CONFLICT (k) DO UPDATE SET v = excluded.v"
    ),
  ]) func statementsHaveAFormForMany(_ single: String, _ many: String) {
    #expect(BatchText(single)?.sql == many)
  }

  @Test(arguments: [
    "UPDATE t SET v = $2", "UPDATE t SET v = $2 WHERE k >= $1", "UPDATE t SET v = $2 WHERE k = $1 OR l = $3",
    "UPDATE t SET v = $2 WHERE k = $1 RETURNING v", "UPDATE t SET v = $2 WHERE k = 'x' AND l = $1",
    "SELECT a FROM t WHERE k = $1 LIMIT $2", "SELECT a FROM t", "BEGIN",
    "INSERT INTO t (k, v) VALUES ($1, $2 + 1)", "INSERT INTO t (k) VALUES ($1), ($2)",
    "INSERT INTO t (k, v) VALUES ($1, $2) ON CONFLICT (k) DO UPDATE SET v = $3",
    "INSERT INTO t (k, v) VALUES ('x', $1) ON CONFLICT (k) DO NOTHING RETURNING v",
    "INSERT INTO t (k) SELECT k FROM u WHERE k = $1", "WITH w AS (SELECT $1) SELECT 1 FROM w",
    "DELETE FROM t WHERE k IN (SELECT k FROM u WHERE v = $1)",
  ]) func othersRunOneByOne(_ sql: String) {
    #expect(BatchText(sql) == nil)
  }

  /// What is wrong with a form would be run one by one, and nobody would notice.
  @Test(arguments: [
    "SELECT v, id FROM t WHERE app = $1 AND id <= $2 ORDER BY id DESC", "DELETE FROM t WHERE app = $1 AND id >= $2",
    "INSERT INTO t (app, id, v) VALUES ($1, $2, 'x') ON CONFLICT (app, id) DO UPDATE SET v = excluded.v WHERE t.id <> 3",
    "INSERT INTO t (app, id, v) VALUES ($1, $2, 'y') ON CONFLICT (app, id) DO NOTHING RETURNING v",
    "UPDATE t SET v = 'z' WHERE app = $1 AND id = $2",
  ]) func theServerTakesTheForms(_ sql: String) throws {
    let test = try TestStore(.postgresql, migrations: [Self.table])
    let connection = try test.connect()
    let batch = try #require(BatchText(sql))
    try connection.execute("PREPARE batch(text[], int8[]) AS \(batch.sql)")
    try connection.execute("EXECUTE batch(ARRAY['app', 'app'], ARRAY[1, 2])")
  }

  private static let table = Migration(
    version: 1, name: "start",
    sql: "CREATE TABLE t (app TEXT NOT NULL, id BIGINT NOT NULL, v TEXT, PRIMARY KEY (app, id)) STRICT;")

  private static func claim(_ id: Int, _ value: SQLValue) -> SQLStatement {
    SQLStatement(
      "INSERT INTO t (app, id, v) VALUES ($1, $2, $3) ON CONFLICT (app, id) DO NOTHING RETURNING id, v", "app",
      SQLValue(id), value)
  }

  /// As one or one by one, each statement has its own rows.
  @Test(arguments: [StoreBackend.postgresql, .pooledPostgreSQL])
  func everyStatementHasItsOwnRows(_ backend: StoreBackend) async throws {
    let test = try TestStore(backend, migrations: [Self.table])
    let ids = [5, 1, 5, 3, 1, 2]
    let claimed = try await test.store.write(ids.map { Self.claim($0, SQLValue("v\($0)")) }) { rows, _ in
      rows.map { $0.map { $0.int(0) } }
    }
    #expect(claimed == [[5], [1], [], [3], [], [2]])
    let again = try await test.store.write([4, 5, 6].map { Self.claim($0, nil) }) { rows, _ in rows.map(\.count) }
    #expect(again == [1, 0, 1])
    let found = try await test.store.read(
      [6, 9, 1, 5].map { SQLStatement("SELECT v, id FROM t WHERE app = $1 AND id = $2", "app", SQLValue($0)) })
    #expect(found.map { $0.map { "\($0.optionalText(0) ?? "-")\($0.int(1))" } } == [["-6"], [], ["v11"], ["v55"]])
    let upTo = try await test.store.read(
      [2, 0, 4].map { SQLStatement("SELECT id FROM t WHERE app = 'app' AND id <= $1 ORDER BY id DESC", SQLValue($0)) })
    #expect(upTo.map { $0.map { $0.int(0) } } == [[2, 1], [], [4, 3, 2, 1]])
    try await test.store.write([]) { _, writes in
      for id in [1, 2, 9, 5] { writes.add("DELETE FROM t WHERE app = $1 AND id = $2", "app", SQLValue(id)) }
    }
    let left = try await test.store.read(SQLStatement("SELECT id FROM t ORDER BY id"))
    #expect(left.map { $0.int(0) } == [3, 4, 6])
  }

  /// Each row gets its own, and one that is named twice what was said last.
  @Test(arguments: [StoreBackend.postgresql, .pooledPostgreSQL])
  func manyUpdatesChangeTheirOwnRows(_ backend: StoreBackend) async throws {
    let test = try TestStore(backend, migrations: [Self.table])
    try await test.store.write([]) { _, writes in
      for id in 1...4 { writes.add("INSERT INTO t (app, id, v) VALUES ($1, $2, 'old')", "app", SQLValue(id)) }
    }
    for changes in [[(3, "a"), (1, "b"), (9, "c")], [(2, "d"), (4, "e"), (2, "f")]] {
      try await test.store.write([]) { _, writes in
        for (id, value) in changes {
          writes.add("UPDATE t SET v = $3 WHERE app = $1 AND id = $2", "app", SQLValue(id), SQLValue(value))
        }
      }
    }
    let rows = try await test.store.read(SQLStatement("SELECT v FROM t ORDER BY id"))
    #expect(rows.map { $0.text(0) } == ["b", "f", "a", "e"])
  }

  /// What only fails as one does not fail: two changes of one row.
  @Test func twoChangesOfOneRowAreBothMade() async throws {
    let test = try TestStore(.postgresql, migrations: [Self.table])
    try await test.store.write([]) { _, writes in
      for value in ["a", "b", "c"] {
        writes.add(
          "INSERT INTO t (app, id, v) VALUES ($1, 1, $2) ON CONFLICT (app, id) DO UPDATE SET v = excluded.v", "app",
          SQLValue(value))
      }
    }
    #expect(try await test.store.read(SQLStatement("SELECT v FROM t"))[0].text(0) == "c")
  }
}
