// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SQLite

@Suite struct ConnectionTests {
  private func memory() throws -> Connection { try Connection(path: ":memory:", .create) }

  @Test func parametersAreBoundByTheirNumberWhateverTheirOrderInTheText() throws {
    let connection = try memory()
    let statement = try connection.prepare("SELECT $2, $1, $2")
    try statement.bind(1, "one")
    try statement.bind(2, Int64(2))
    #expect(try statement.step())
    #expect(statement.integer(0) == 2)
    #expect(statement.text(1) == "one")
    #expect(statement.integer(2) == 2)
  }

  @Test(arguments: ["SELECT ?", "SELECT :name", "SELECT $name", "SELECT $2", "SELECT $0"])
  func otherParametersAreRefused(sql: String) throws {
    let connection = try memory()
    #expect(throws: SQLiteError.self) { _ = try connection.prepare(sql) }
  }

  @Test(arguments: ["", "a", "\u{10FFFF}", "e\u{301}", String(repeating: "x", count: 5_000)])
  func textKeepsItsBytes(text: String) throws {
    let connection = try memory()
    let statement = try connection.prepare("SELECT $1, typeof($1), length(CAST($1 AS BLOB))")
    try statement.bind(1, text)
    #expect(try statement.step())
    #expect(Array(statement.text(0).utf8) == Array(text.utf8))
    #expect(statement.text(1) == "text")
    #expect(statement.integer(2) == Int64(text.utf8.count))
  }

  @Test(arguments: [[], [0], [0, 255, 0, 128], Array(repeating: 7, count: 5_000)] as [[UInt8]])
  func blobsKeepTheirBytes(blob: [UInt8]) throws {
    let connection = try memory()
    let statement = try connection.prepare("SELECT $1, typeof($1)")
    try statement.bind(1, blob)
    #expect(try statement.step())
    #expect(statement.blob(0) == blob)
    #expect(statement.text(1) == "blob")
  }

  /// With room for all, for some and for none, also after a run that had more of it, and for values that SQLite copies.
  @Test(arguments: [0, 3, 10, 200, 100_000], [0, 1, 12, 20_000])
  func valuesAreReadWhereRoomWasMadeForThem(room: Int, count: Int) throws {
    let connection = try memory()
    try connection.execute("CREATE TABLE kept (text TEXT, bytes BLOB)")
    let insert = try connection.prepare("INSERT INTO kept VALUES ($1, $2) RETURNING text, bytes")
    for round in 0..<3 {
      let text = String(repeating: ["a", "ß", "c"][round], count: count >> round)
      let bytes = [UInt8](repeating: UInt8(round), count: count)
      insert.makeRoom(byteCount: room)
      try insert.bind(1, text)
      try insert.bind(2, bytes)
      #expect(try insert.step())
      #expect(insert.text(0) == text)
      #expect(insert.blob(1) == bytes)
      insert.reset()
    }
    let kept = try connection.prepare("SELECT sum(length(CAST(text AS BLOB))), sum(length(bytes)) FROM kept")
    #expect(try kept.step())
    #expect(kept.integer(0) == Int64(count + 2 * (count >> 1) + (count >> 2)))
    #expect(kept.integer(1) == Int64(3 * count))
  }

  @Test func aLiteralIsPreparedOnce() throws {
    let connection = try memory()
    func one() throws -> Statement { try connection.statement("SELECT 1") }
    #expect(try one() === one())
  }

  @Test func manyLiteralsAreToldApart() throws {
    let connection = try memory()
    let texts = Array(repeating: UInt8(0), count: 500)
    try texts.withUnsafeBufferPointer { addresses in
      var cache = StatementCache()
      var statements: [Statement] = []
      for index in addresses.indices {
        let key = addresses.baseAddress! + index
        #expect(cache.find(key) == nil)
        statements.append(try connection.prepare("SELECT \(index)"))
        cache.add(key, statements[index])
      }
      for index in addresses.indices {
        #expect(cache.find(addresses.baseAddress! + index) === statements[index])
      }
    }
  }

  @Test func errorsCarryTheExtendedCodeAndNoValues() throws {
    let connection = try memory()
    try connection.execute("CREATE TABLE person (name TEXT PRIMARY KEY) STRICT")
    let insert = try connection.prepare("INSERT INTO person VALUES ($1)")
    for round in 1...2 {
      try insert.bind(1, "maya")
      if round == 1 {
        try insert.run()
      } else {
        let error = #expect(throws: SQLiteError.self) { try insert.run() }
        #expect(error?.code == 1555)
        #expect(error?.isConstraint == true)
        #expect(error?.message == "UNIQUE constraint failed: person.name")
      }
    }
  }

  @Test func aTransactionIsSeen() throws {
    let connection = try memory()
    #expect(!connection.isInTransaction)
    try connection.run("BEGIN")
    #expect(connection.isInTransaction)
    try connection.run("ROLLBACK")
    #expect(!connection.isInTransaction)
  }

  @Test func aFileThatCannotBeOpenedIsSaid() {
    let error = #expect(throws: SQLiteError.self) { _ = try Connection(path: "/nowhere/at/all.db", .create) }
    #expect(error?.isCannotOpen == true)
  }
}
