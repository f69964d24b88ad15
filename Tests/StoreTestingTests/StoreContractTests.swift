// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import SQLStore
import StoreTesting
import Testing

/// What every engine promises. Runs on all of them.
@Suite struct StoreContractTests {
  struct Refused: Error, Equatable { var why = "" }

  private static let table = Migration(
    version: 1, name: "start",
    sql: """
      CREATE TABLE counter (app TEXT NOT NULL, name TEXT NOT NULL, value BIGINT NOT NULL, PRIMARY KEY (app, name))
        STRICT, WITHOUT ROWID;
      CREATE TABLE sample (app TEXT NOT NULL, id BIGINT NOT NULL, i BIGINT, r REAL, t TEXT, b BLOB, PRIMARY KEY (app, id))
        STRICT, WITHOUT ROWID;
      CREATE TABLE log (app TEXT NOT NULL, position BIGINT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (app, position))
        STRICT, WITHOUT ROWID;
      """)

  private func fresh(_ backend: StoreBackend) throws -> TestStore { try TestStore(backend, migrations: [Self.table]) }

  private static func add(_ name: String) -> SQLStatement {
    SQLStatement(
      """
      INSERT INTO counter (app, name, value) VALUES ('app', $1, 1)
      ON CONFLICT (app, name) DO UPDATE SET value = counter.value + 1 RETURNING value
      """, .text(name))
  }
  private static func lock(_ name: String) -> SQLStatement {
    SQLStatement(
      lock: """
        INSERT INTO counter (app, name, value) VALUES ('app', $1, 1)
        ON CONFLICT (app, name) DO UPDATE SET value = counter.value + 1 RETURNING value
        """, .text(name))
  }
  private static func value(_ name: String) -> SQLStatement {
    SQLStatement("SELECT value FROM counter WHERE app = 'app' AND name = $1", .text(name))
  }

  @Test(arguments: StoreBackend.all) func valuesComeBackAsTheyWere(_ backend: StoreBackend) async throws {
    let test = try fresh(backend)
    let rows: [[SQLValue]] = [
      [.integer(.min), .real(-0.1), .text("\u{10FFFF}"), .blob([0, 255])],
      [.integer(.max), .real(1e308), .text(""), .blob([])],
      [.null, .null, .null, .null],
      [0, 0.0, "'; DROP TABLE sample; --", .blob(Array(repeating: 0, count: 70_000))],
      [true, 2.5, .text("e\u{301} é \u{FFFF}\n\t"), .blob([1])],
    ]
    try await test.store.write([]) { _, writes in
      for (id, row) in rows.enumerated() {
        writes.add(
          "INSERT INTO sample (app, id, i, r, t, b) VALUES ('app', $1, $2, $3, $4, $5)", SQLValue(id), row[0], row[1],
          row[2], row[3])
      }
    }
    let read = try await test.store.read(SQLStatement("SELECT i, r, t, b FROM sample WHERE app = 'app' ORDER BY id"))
    #expect(read.count == rows.count)
    for (row, expected) in zip(read, rows) { #expect((0..<4).map { row[$0] } == expected) }
    #expect(Array(read[4].text(2).utf8) == Array("e\u{301} é \u{FFFF}\n\t".utf8))
  }

  @Test(arguments: StoreBackend.all) func textWithANullCharacterIsRefused(_ backend: StoreBackend) async throws {
    let test = try fresh(backend)
    let error = await #expect(throws: SQLStoreError.self) {
      try await test.store.write([Self.add("a\u{0}b")]) { _, _ in }
    }
    #expect(error?.kind == .failed)
  }

  @Test(arguments: StoreBackend.all) func aThrowingDecisionUndoesItsReadsAndIsWhatTheCallerGets(
    _ backend: StoreBackend
  ) async throws {
    let test = try fresh(backend)
    await #expect(throws: Refused(why: "no")) {
      try await test.store.write([Self.add("a")]) { rows, writes in
        #expect(rows[0][0].int(0) == 1)
        writes.add(Self.add("b"))
        throw Refused(why: "no")
      }
    }
    #expect(try await test.store.read(Self.value("a")).isEmpty)
    #expect(try await test.store.read(Self.value("b")).isEmpty)
  }

  @Test(arguments: StoreBackend.all) func aFailedStatementUndoesTheWholeWrite(_ backend: StoreBackend) async throws {
    let test = try fresh(backend)
    let error = await #expect(throws: SQLStoreError.self) {
      try await test.store.write([Self.add("a")]) { _, writes in
        writes.add(Self.add("b"))
        writes.add("INSERT INTO counter (app, name, value) VALUES ('app', 'a', 7)")
      }
    }
    #expect(error?.kind == .failed)
    #expect(try await test.store.read(Self.value("b")).isEmpty)
  }

  @Test(arguments: StoreBackend.all) func aCheckSeesWhatItsStatementReturnedAndCanRefuse(
    _ backend: StoreBackend
  ) async throws {
    let test = try fresh(backend)
    for attempt in 1...3 {
      let refused = attempt == 3
      do {
        try await test.store.write([]) { _, writes in
          writes.add(Self.add("a")) { rows in if rows[0].int(0) > 2 { throw Refused() } }
        }
        #expect(!refused)
      } catch is Refused {
        #expect(refused)
      }
    }
    #expect(try await test.store.read(Self.value("a"))[0].int(0) == 2)
  }

  @Test(arguments: StoreBackend.all) func aRefusedMemberLeavesTheOthersOfItsGroup(_ backend: StoreBackend) async throws
  {
    let test = try fresh(backend)
    let accepted = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<200 {
        group.addTask {
          do {
            try await test.store.write([Self.add("all")]) { _, writes in
              writes.add("INSERT INTO log (app, position, name) VALUES ('app', $1, 'x')", SQLValue(number))
              if number % 3 == 0 { throw Refused() }
              // Every fifth fails in SQL.
              if number % 5 == 0 {
                writes.add("INSERT INTO log (app, position, name) VALUES ('app', $1, 'x')", SQLValue(number))
              }
            }
            return true
          } catch { return false }
        }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    let expected = (0..<200).filter { $0 % 3 != 0 && $0 % 5 != 0 }
    #expect(accepted == expected.count)
    #expect(try await test.store.read(Self.value("all"))[0].int(0) == Int64(expected.count))
    let rows = try await test.store.read(SQLStatement("SELECT position FROM log WHERE app = 'app' ORDER BY position"))
    #expect(rows.map { Int($0.int(0)) } == expected)
  }

  @Test(arguments: StoreBackend.all) func writesOfDifferentRowsAreEachTheirOwnWhateverBecomesOfTheOthers(
    _ backend: StoreBackend
  ) async throws {
    let test = try fresh(backend)
    let fates = try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
      for number in 0..<400 {
        group.addTask {
          let name = "row-\(number % 40)"
          do {
            let value = try await test.store.write([Self.lock(name), Self.value(name)]) { rows, writes in
              // The second read sees what the first did.
              guard rows[0][0].int(0) == rows[1][0].int(0) else { throw Refused(why: "stale") }
              if number % 7 == 0 { throw Refused(why: "no") }
              writes.add("INSERT INTO log (app, position, name) VALUES ('app', $1, $2)", SQLValue(number), .text(name))
              if number % 11 == 0 {
                writes.add("INSERT INTO log (app, position, name) VALUES ('app', $1, 'x')", SQLValue(number))
              }
              writes.add(Self.add("sum")) { rows in if number % 13 == 0 { throw Refused(why: "late") } }
              return rows[0][0].int(0)
            }
            #expect(value > 0)
            return (number, true)
          } catch let refused as Refused {
            #expect(refused.why == (number % 7 == 0 ? "no" : "late"))
          } catch let error as SQLStoreError {
            #expect(error.kind == .failed && number % 11 == 0)
          }
          return (number, false)
        }
      }
      return try await group.reduce(into: [Int: Bool]()) { $0[$1.0] = $1.1 }
    }
    let expected = (0..<400).filter { $0 % 7 != 0 && $0 % 11 != 0 && $0 % 13 != 0 }
    #expect(fates.filter(\.value).keys.sorted() == expected)
    let rows = try await test.store.read(SQLStatement("SELECT position FROM log WHERE app = 'app' ORDER BY position"))
    #expect(rows.map { Int($0.int(0)) } == expected)
    #expect(try await test.store.read(Self.value("sum"))[0].int(0) == Int64(expected.count))
    for row in 0..<40 {
      let count = expected.count { $0 % 40 == row }
      let value = try await test.store.read(Self.value("row-\(row)"))
      #expect(value.first.map { Int($0.int(0)) } ?? 0 == count)
    }
  }

  @Test(arguments: StoreBackend.all) func sixtyFourWritersLoseNothingAndReadTheirOwnWrites(
    _ backend: StoreBackend
  ) async throws {
    let test = try fresh(backend)
    let each = 50
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<64 {
        group.addTask {
          for round in 1...each {
            let mine = try await test.store.write([Self.add("all"), Self.add("writer-\(writer)")]) { rows, _ in
              rows[1][0].int(0)
            }
            #expect(mine == Int64(round))
            #expect(try await test.store.read(Self.value("writer-\(writer)"))[0].int(0) == Int64(round))
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await test.store.read(Self.value("all"))[0].int(0) == Int64(64 * each))
  }

  @Test(arguments: StoreBackend.all) func aReadersStatementsSeeOneState(_ backend: StoreBackend) async throws {
    let test = try fresh(backend)
    try await test.store.write([Self.add("a"), Self.add("b")]) { _, _ in }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for _ in 0..<300 { try await test.store.write([Self.add("a"), Self.add("b")]) { _, _ in } }
      }
      group.addTask {
        for _ in 0..<300 {
          let rows = try await test.store.read([Self.value("a"), Self.value("b")])
          #expect(rows[0][0].int(0) == rows[1][0].int(0))
        }
      }
      try await group.waitForAll()
    }
  }

  @Test(arguments: StoreBackend.all) func writesAreAppliedOneAfterTheOther(_ backend: StoreBackend) async throws {
    let test = try fresh(backend)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<32 {
        group.addTask {
          for _ in 0..<20 {
            // The lock comes first: what is read behind it is what all writes before this one left.
            try await test.store.write([
              Self.lock("turn"), SQLStatement("SELECT count(*) FROM log WHERE app = 'app'"),
            ]) { rows, writes in
              #expect(rows[1][0].int(0) + 1 == rows[0][0].int(0))
              writes.add("INSERT INTO log (app, position, name) VALUES ('app', $1, 'x')", .integer(rows[0][0].int(0)))
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await test.store.read(Self.value("turn"))[0].int(0) == 640)
  }

  @Test(arguments: StoreBackend.all) func readsCannotWrite(_ backend: StoreBackend) async throws {
    let test = try fresh(backend)
    await #expect(throws: SQLStoreError.self) { try await test.store.read(Self.add("a")) }
    #expect(try await test.store.read(Self.value("a")).isEmpty)
  }

  @Test(arguments: StoreBackend.all) func whatWasWrittenOutlivesAReopening(_ backend: StoreBackend) async throws {
    let test = try fresh(backend)
    try await test.store.write([Self.add("a")]) { _, _ in }
    let again = try test.reopen()
    try again.migrate([Self.table])
    #expect(try await again.read(Self.value("a"))[0].int(0) == 1)
  }

  @Test(arguments: StoreBackend.all) func aClosedStoreSaysSo(_ backend: StoreBackend) async throws {
    let test = try fresh(backend)
    test.store.close()
    let write = await #expect(throws: SQLStoreError.self) { try await test.store.write([Self.add("a")]) { _, _ in } }
    #expect(write?.kind == .unavailable)
    let read = await #expect(throws: SQLStoreError.self) { try await test.store.read(Self.value("a")) }
    #expect(read?.kind == .unavailable)
    test.store.close()
  }

  @Test(arguments: StoreBackend.all) func statisticsCountGroupsAndReads(_ backend: StoreBackend) async throws {
    let test = try fresh(backend)
    let before = test.store.statistics
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<64 { group.addTask { try await test.store.write([Self.add("a")]) { _, _ in } } }
      try await group.waitForAll()
    }
    await #expect(throws: Refused.self) { try await test.store.write([]) { _, _ in throw Refused() } }
    _ = try await test.store.read(Self.value("a"))
    let after = test.store.statistics
    #expect(after.writes - before.writes == 64)
    #expect(after.rollbacks - before.rollbacks == 1)
    #expect((1...64).contains(after.commits - before.commits))
    #expect(after.reads - before.reads == 1)
  }
}
