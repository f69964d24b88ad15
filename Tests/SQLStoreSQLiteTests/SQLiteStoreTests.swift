// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import SQLStore
import SQLStoreSQLite
import SQLite
import StoreTesting
import Testing
import Threading

/// What is true of the embedded store alone.
@Suite struct SQLiteStoreTests {
  private static let table = Migration(
    version: 1, name: "start",
    sql: "CREATE TABLE item (app TEXT NOT NULL, id BIGINT NOT NULL, PRIMARY KEY (app, id)) STRICT;")
  private static let count = SQLStatement("SELECT count(*) FROM item")

  private func add(_ store: any SQLStore, _ id: Int) async throws {
    try await store.write([]) { _, writes in writes.add("INSERT INTO item (app, id) VALUES ('app', $1)", SQLValue(id)) }
  }

  @Test func aFileInUseIsRefused() throws {
    let test = try TestStore()
    let error = #expect(throws: SQLStoreError.self) { _ = try SQLiteStore(path: test.folder + "/store.db") }
    #expect(error?.message.hasSuffix("store.db is in use by another process") == true)
    test.store.close()
    _ = try SQLiteStore(path: test.folder + "/store.db")
  }

  @Test func readersOfOtherProgramsMayLook() async throws {
    let test = try TestStore(migrations: [Self.table])
    try await add(test.store, 1)
    let other = try Connection(path: test.folder + "/store.db", .readOnly)
    let statement = try other.prepare("SELECT count(*) FROM item")
    #expect(try statement.step())
    #expect(statement.integer(0) == 1)
  }

  @Test func theFileAndItsLogAreTheOwnersAlone() async throws {
    let test = try TestStore(migrations: [Self.table])
    try await add(test.store, 1)
    for name in ["store.db", "store.db-wal", "store.db-shm", "store.db-lock"] {
      var status = stat()
      #expect(stat("\(test.folder)/\(name)", &status) == 0, "\(name)")
      #expect(status.st_mode & 0o777 == 0o600, "\(name)")
    }
  }

  @Test func closingLeavesNoLog() async throws {
    let test = try TestStore(migrations: [Self.table])
    try await add(test.store, 1)
    _ = try await test.store.read(Self.count)
    test.store.close()
    #expect(access(test.folder + "/store.db-wal", F_OK) != 0)
  }

  @Test func aFileThatIsNoDatabaseIsSaid() throws {
    let test = try TestStore()
    test.store.close()
    let path = test.folder + "/other.db"
    let file = try #require(fopen(path, "w"))
    fputs(String(repeating: "this is no database ", count: 500), file)
    fclose(file)
    let error = #expect(throws: SQLStoreError.self) { _ = try SQLiteStore(path: path) }
    #expect(error?.kind == .failed)
    #expect(error?.message.contains("other.db is damaged or no SQLite database") == true)
  }

  @Test(arguments: ["/nowhere/at/all.db", "/proc/store.db"]) func aFolderThatCannotHoldItIsSaid(path: String) {
    let error = #expect(throws: SQLStoreError.self) { _ = try SQLiteStore(path: path) }
    #expect(error?.message.contains(path) == true)
  }

  @Test func aDamagedFileFailsTheReadAndNotTheProcess() async throws {
    let test = try TestStore(migrations: [Self.table])
    for id in 0..<2_000 where id % 500 == 0 {
      try await test.store.write([]) { _, writes in
        for id in id..<(id + 500) { writes.add("INSERT INTO item (app, id) VALUES ('app', $1)", SQLValue(id)) }
      }
    }
    test.store.close()
    let path = test.folder + "/store.db"
    let file = open(path, O_RDWR)
    var status = stat()
    fstat(file, &status)
    let noise = [UInt8](repeating: 0xA5, count: Int(status.st_size) - 8192)
    pwrite(file, noise, noise.count, 8192)
    close(file)
    let outcome: SQLStoreError? = await #expect(throws: SQLStoreError.self) {
      _ = try await test.reopen().read(SQLStatement("SELECT id FROM item WHERE app = 'app' ORDER BY id"))
    }
    #expect(outcome?.kind == .failed)
  }

  @Test func theFilesSettingsAreTheStoresGuarantees() async throws {
    let test = try TestStore()
    let pragmas = try await test.store.write([
      SQLStatement("PRAGMA journal_mode"), SQLStatement("PRAGMA synchronous"), SQLStatement("PRAGMA secure_delete"),
    ]) { rows, _ in "\(rows[0][0].text(0)) \(rows[1][0].int(0)) \(rows[2][0].int(0))" }
    #expect(pragmas == "wal 2 1")
  }

  /// What `body` gives on a thread that has turns, as the socket thread does.
  private func onTurnThread<R: Sendable>(
    _ store: any SQLStore, _ body: @escaping @Sendable (_ read: () -> Int64) -> R
  ) async -> R {
    await withCheckedContinuation { done in
      startThread(named: "turns") {
        store.turnEnded()
        let result = body {
          let count = Lock<Int64>(-1)
          Task.immediateDetached {
            let rows = try? await store.read(Self.count)
            count.withLock { $0 = rows?[0].int(0) ?? -1 }
          }
          // A read does not suspend, so it is over.
          return count.withLock { $0 }
        }
        done.resume(returning: result)
      }
    }
  }

  @Test func theReadsOfATurnShareOneSnapshot() async throws {
    let test = try TestStore(migrations: [Self.table])
    let store = test.store
    try await add(store, 1)
    let before = store.statistics.snapshots
    let (reads, snapshots) = await onTurnThread(store) { read in
      var reads: [Int64] = []
      var snapshots: [Int] = []
      for _ in 1...2 {
        for _ in 0..<10 { reads.append(read()) }
        snapshots.append(store.statistics.snapshots - before)
        store.turnEnded()
      }
      return (reads, snapshots)
    }
    #expect(reads == Array(repeating: 1, count: 20))
    #expect(snapshots == [1, 2])
  }

  @Test func aReadInAnOpenTurnSeesAWriteThatWasAcknowledgedBeforeIt() async throws {
    let test = try TestStore(migrations: [Self.table])
    let store = test.store
    let reads = await onTurnThread(store) { read in
      (1...20).map { id in
        let before = read()
        let written = WakeEvent(blocking: true)
        Task.detached {
          try await self.add(store, id)
          written.signal()
        }
        written.clear()
        // No turn has ended since the read above.
        return [before, read()]
      }
    }
    #expect(reads == (1...20).map { [Int64($0 - 1), Int64($0)] })
  }

  @Test func aThreadWithoutTurnsKeepsNothingOpen() async throws {
    let test = try TestStore(migrations: [Self.table])
    await onTurnThread(test.store) { _ in }
    for id in 1...5 {
      try await add(test.store, id)
      #expect(try await test.store.read([Self.count, Self.count]).map { $0[0].int(0) } == [Int64(id), Int64(id)])
    }
  }

  private static let text = Migration(
    version: 1, name: "start",
    sql: "CREATE TABLE item (app TEXT NOT NULL, id BIGINT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (app, id)) STRICT;")

  /// 8192 is what a new file gets; one of an earlier version goes on with its own.
  @Test(arguments: [4_096, 8_192]) func theLogStaysBoundedWhileReadersComeAndGo(_ pageBytes: Int64) async throws {
    let test = try TestStore(migrations: [Self.text])
    let path = test.folder + "/store.db"
    if pageBytes != 8_192 {
      test.store.close()
      try Connection(path: path, .readWrite)
        .execute("PRAGMA journal_mode = DELETE; PRAGMA page_size = \(pageBytes); VACUUM")
      try test.reopen()
    }
    var largest = 0
    for round in 0..<60 {
      try await test.store.write([]) { _, writes in
        for id in 0..<100 {
          writes.add(
            "INSERT INTO item (app, id, text) VALUES ('app', $1, $2)", SQLValue(round * 100 + id),
            .text(String(repeating: "x", count: 20_000)))
        }
      }
      _ = try await test.store.read(Self.count)
      var status = stat()
      #expect(stat(path + "-wal", &status) == 0)
      largest = max(largest, status.st_size)
    }
    #expect(16 << 20 < largest && largest < 48 << 20)
    let found = try await test.store.read([SQLStatement("PRAGMA page_size"), Self.count])
    #expect(found.map { $0[0].int(0) } == [pageBytes, 6_000])
  }
}
