// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import PostgreSQL
import SQLStore
import StoreTesting
import Testing
import Threading

@testable import SQLStorePostgreSQL

/// What is true of the store in PostgreSQL alone: several replicas, a server that goes away, what a failure means.
@Suite struct PostgreSQLStoreTests {
  private static let table = Migration(
    version: 1, name: "start",
    sql: """
      CREATE TABLE item (app TEXT NOT NULL, id BIGINT NOT NULL, value BIGINT, note TEXT, PRIMARY KEY (app, id)) STRICT;
      """)

  private static func lock(_ id: Int) -> SQLStatement {
    SQLStatement(
      lock: """
        INSERT INTO item (app, id, value) VALUES ('app', $1, 1)
        ON CONFLICT (app, id) DO UPDATE SET value = item.value + 1 RETURNING value
        """, SQLValue(id))
  }
  private static func value(_ id: Int) -> SQLStatement {
    SQLStatement("SELECT value FROM item WHERE app = 'app' AND id = $1", SQLValue(id))
  }

  @Test(arguments: [StoreBackend.postgresql, .pooledPostgreSQL])
  func acknowledgedWritesOfOneReplicaAreSeenByEveryReadOfAnother(_ backend: StoreBackend) async throws {
    let test = try TestStore(backend, migrations: [Self.table])
    let other = try test.replica()
    defer { other.close() }
    for round in 1...200 {
      let (writer, reader) = round % 2 == 0 ? (test.store, other) : (other, test.store)
      try await writer.write([Self.lock(1)]) { _, _ in }
      #expect(try await reader.read(Self.value(1))[0].int(0) == Int64(round))
      #expect(try await reader.read([Self.value(1), Self.value(2)])[0][0].int(0) == Int64(round))
    }
  }

  @Test func writersOfSeveralReplicasAreOrderedByTheirRow() async throws {
    let test = try TestStore(.postgresql, migrations: [Self.table])
    let stores = [test.store, try test.replica(), try test.replica()]
    defer { for store in stores.dropFirst() { store.close() } }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<24 {
        group.addTask {
          for round in 0..<20 {
            let id = (writer + round) % 8
            try await stores[writer % 3].write([Self.lock(id), Self.value(id)]) { rows, writes in
              #expect(rows[0][0].int(0) == rows[1][0].int(0))
              writes.add("UPDATE item SET note = $2 WHERE app = 'app' AND id = $1", SQLValue(id), "seen")
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let sum = try await test.store.read(SQLStatement("SELECT sum(value) FROM item WHERE app = 'app'"))
    #expect(sum[0].int(0) == 24 * 20)
    #expect(test.store.statistics.largestGroup > 1)
  }

  /// A value that is sometimes NULL, also the first time, is bound with its type.
  @Test(arguments: [StoreBackend.postgresql, .pooledPostgreSQL])
  func aParameterMayBeNullOrNot(_ backend: StoreBackend) async throws {
    let test = try TestStore(backend, migrations: [Self.table])
    let values: [(SQLValue, SQLValue)] = [(nil, nil), (7, nil), (nil, "x"), (.integer(.min), "y"), (nil, nil)]
    for (id, value) in values.enumerated() {
      try await test.store.write([]) { _, writes in
        writes.add("INSERT INTO item (app, id, value, note) VALUES ('app', $1, $2, $3)", SQLValue(id), value.0, value.1)
      }
    }
    let rows = try await test.store.read(SQLStatement("SELECT value, note FROM item WHERE app = 'app' ORDER BY id"))
    #expect(rows.map { [$0[0], $0[1]] } == values.map { [$0.0, $0.1] })
  }

  @Test func sumsAndComparisonsAreAsOnTheOtherEngine() async throws {
    let test = try TestStore(.postgresql, migrations: [Self.table])
    try await test.store.write([]) { _, writes in
      for (id, value) in [(1, Int64.max), (2, 1), (3, 20_000)] {
        writes.add("INSERT INTO item (app, id, value) VALUES ('app', $1, $2)", SQLValue(id), .integer(value))
      }
    }
    let row = try await test.store.read(
      SQLStatement(
        """
        SELECT (SELECT sum(value) FROM item WHERE id > 1), (SELECT sum(value) FROM item WHERE id > 9), count(*), 1 = 1,
          (SELECT -sum(value) FROM item WHERE id = 3), avg(id), 0.5 FROM item
        """))[0]
    #expect((0..<7).map { row[$0] } == [.integer(20_001), nil, 3, 1, .integer(-20_000), .integer(2), .real(0.5)])
  }

  @Test func aLockThatIsHeldTooLongIsWaitedForAgain() async throws {
    let test = try TestStore(.postgresql, migrations: [Self.table])
    try await test.store.write([Self.lock(1)]) { _, _ in }
    let connection = try test.connect()
    try connection.execute("BEGIN; SELECT value FROM item WHERE id = 1 FOR UPDATE")
    async let waiting: Void = test.store.write([Self.lock(1)]) { _, _ in }
    // Longer than lock_timeout; the connection's own time-out ends the transaction.
    try await waiting
    #expect(try await test.store.read(Self.value(1))[0].int(0) == 2)
  }

  @Test func statementsThatFailAreFaultsAndNameNoValues() async throws {
    let test = try TestStore(.postgresql, migrations: [Self.table])
    try await test.store.write([Self.lock(1)]) { _, _ in }
    let twice = await #expect(throws: SQLStoreError.self) {
      try await test.store.write([]) { _, writes in
        writes.add("INSERT INTO item (app, id, note) VALUES ('app', 1, $1)", "secret")
      }
    }
    #expect(twice?.kind == .failed && twice.map { "\($0)" }?.contains("secret") == false)
    let cast = await #expect(throws: SQLStoreError.self) {
      try await test.store.read(SQLStatement("SELECT CAST($1 AS BIGINT)", "secret"))
    }
    #expect(cast?.kind == .failed && cast.map { "\($0)" }?.contains("secret") == false)
  }

  /// A group that waits for another replica's row is waited for a moment, not for as long as it takes.
  @Test func aGroupThatIsHeldUpDoesNotHoldUpOthers() async throws {
    let test = try TestStore(.postgresql, migrations: [Self.table])
    try await test.store.write([Self.lock(1)]) { _, _ in }
    let other = try test.connect()
    let looking = try test.connect()
    try other.execute("SET idle_in_transaction_session_timeout = 0")
    try other.execute("BEGIN; UPDATE item SET value = 7 WHERE id = 1")
    async let held: Void = test.store.write([Self.lock(1)]) { _, _ in }
    while try looking.execute("SELECT 1 FROM pg_locks WHERE NOT granted").isEmpty { await Task.yield() }
    try await test.store.write([Self.lock(2)]) { _, _ in }
    #expect(try await test.store.read(Self.value(1))[0].int(0) == 1)
    try other.execute("COMMIT")
    try await held
    #expect(try await test.store.read(Self.value(1))[0].int(0) == 8)
  }

  @Test func tablesWhoseRowsChangeKeepRoomOnTheirPagesAndIndexesCanGo() async throws {
    let test = try TestStore(
      .postgresql,
      migrations: [
        Self.table, Migration(version: 2, name: "index", sql: "CREATE INDEX item_value ON item (value);"),
        Migration(version: 3, name: "room", sql: "DROP INDEX item_value;", rewritten: ["item"]),
      ])
    let found = try test.connect().execute(
      "SELECT reloptions, (SELECT count(*) FROM pg_index WHERE indrelid = oid) FROM pg_class WHERE oid = 'item'::regclass"
    )
    #expect(found == [["{fillfactor=70}", "1"]])
  }

  @Test func replicasThatStartAtOnceMigrateOnce() async throws {
    let test = try TestStore(.postgresql)
    let migrations = (1...5).map { version in
      Migration(version: version, name: "m\(version)", sql: "CREATE TABLE t\(version) (app TEXT PRIMARY KEY) STRICT;")
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<6 {
        group.addTask {
          let store = try test.replica()
          defer { store.close() }
          try store.migrate(migrations)
          #expect(try await store.read(SQLStatement("SELECT app FROM t5")).isEmpty)
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func anOlderProgramGoesOnWhileTheNextVersionIsRolledOut() async throws {
    let test = try TestStore(.postgresql, migrations: [Self.table])
    let next = Migration(version: 2, name: "more", sql: "ALTER TABLE item ADD COLUMN more TEXT;")
    let newer = try test.replica()
    defer { newer.close() }
    try await test.store.write([Self.lock(1)]) { _, _ in }
    try newer.migrate([Self.table, next])
    try await test.store.write([Self.lock(1)]) { _, _ in }
    let again = try test.reopen()
    try again.migrate([Self.table])
    try await again.write([Self.lock(1)]) { _, _ in }
    #expect(try await newer.read(Self.value(1))[0].int(0) == 3)
  }
}
