// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import PostgreSQL
import SQLStore
import StoreTesting
import Testing
import Threading

@testable import SQLStorePostgreSQL

/// The server, or the way to it, goes away.
@Suite(.serialized, .timeLimit(.minutes(2))) struct LostServerTests {
  private static let table = Migration(
    version: 1, name: "start",
    sql:
      "CREATE TABLE item (app TEXT NOT NULL, id BIGINT NOT NULL, value BIGINT NOT NULL, PRIMARY KEY (app, id)) STRICT;")

  private static func add(_ id: Int) -> SQLStatement {
    SQLStatement(
      lock: """
        INSERT INTO item (app, id, value) VALUES ('app', $1, 1)
        ON CONFLICT (app, id) DO UPDATE SET value = item.value + 1 RETURNING value
        """, SQLValue(id))
  }

  private static func open(_ cluster: PostgreSQLCluster) throws -> PostgreSQLStore {
    let store = try PostgreSQLStore(PostgreSQLConfiguration(url: cluster.url, schema: "lost"))
    try store.migrate([Self.table])
    return store
  }

  /// Every caller is told what became of its write: what was acknowledged is there, what was refused is not, and only what
  /// was told to be unknown may be either.
  @Test func aServerThatCrashesUnderLoadLosesNothingAcknowledged() async throws {
    let cluster = try PostgreSQLCluster()
    let store = try Self.open(cluster)
    let told = Lock<[Int: [Int]]>([:])  // by id: written, unknown
    try await withThrowingTaskGroup(of: Void.self) { group in
      let stop = Lock(false)
      for writer in 0..<16 {
        group.addTask {
          while !stop.withLock({ $0 }) {
            do {
              try await store.write([Self.add(writer)]) { rows, writes in
                writes.add("UPDATE item SET value = value WHERE app = 'app' AND id = $1", SQLValue(writer))
              }
              told.withLock { $0[writer, default: [0, 0]][0] += 1 }
            } catch let error as SQLStoreError {
              #expect(error.kind == .outcomeUnknown || error.kind == .unavailable)
              if error.kind == .outcomeUnknown { told.withLock { $0[writer, default: [0, 0]][1] += 1 } }
            }
          }
        }
      }
      for crashing in [true, false, true] {
        let before = told.withLock { $0.values.map { $0[0] }.reduce(0, +) }
        while told.withLock({ $0.values.map { $0[0] }.reduce(0, +) }) < before + 200 {
          try await Task.sleep(for: .milliseconds(5))
        }
        cluster.stop(crashing: crashing)
        try cluster.start()
      }
      stop.withLock { $0 = true }
      try await group.waitForAll()
    }
    let rows = try await store.read(SQLStatement("SELECT id, value FROM item WHERE app = 'app'"))
    let outcomes = told.withLock { $0 }
    for row in rows {
      let (written, unknown) = (outcomes[Int(row.int(0))]![0], outcomes[Int(row.int(0))]![1])
      #expect((written...(written + unknown)).contains(Int(row.int(1))))
    }
    store.close()
  }

  @Test func withoutAServerCallsAreRefusedAsNotProcessedAndLaterOnesWork() async throws {
    let cluster = try PostgreSQLCluster()
    let store = try Self.open(cluster)
    try await store.write([Self.add(1)]) { _, _ in }
    cluster.stop()
    let write = Task { try await store.write([Self.add(1)]) { _, _ in } }
    let read = Task { _ = try await store.read(SQLStatement("SELECT value FROM item WHERE app = 'app'")) }
    let refusedWrite = await #expect(throws: SQLStoreError.self) { try await write.value }
    let refusedRead = await #expect(throws: SQLStoreError.self) { try await read.value }
    #expect(refusedWrite?.kind == .unavailable)
    #expect(refusedRead?.kind == .unavailable)
    try cluster.start()
    try await store.write([Self.add(1)]) { _, _ in }
    #expect(try await store.read(SQLStatement("SELECT value FROM item WHERE app = 'app'"))[0].int(0) == 2)
    store.close()
  }

  /// Such a try ends by its own time-out, which is longer than a call waits.
  @Test func `a try to connect that hangs keeps no call from a server that is back`() async throws {
    let cluster = try PostgreSQLCluster()
    let wire = try Wire(to: cluster.folder)
    let store = try PostgreSQLStore(PostgreSQLConfiguration(url: wire.url, schema: "lost"))
    try store.migrate([Self.table])
    try await store.write([Self.add(1)]) { _, _ in }
    wire.mute(true)
    wire.cut()
    async let write: Void = store.write([Self.add(1)]) { _, _ in }
    async let read = store.read(SQLStatement("SELECT value FROM item WHERE app = 'app'"))
    while wire.mutedCount < 2 { try await Task.sleep(for: .milliseconds(1)) }
    wire.mute(false)
    try await write
    #expect(try await [1, 2].contains(read[0].int(0)))
    store.close()
    wire.close()
  }

  /// What ended one may not show on the others until something is sent.
  @Test func `with one session that the server ends the idle ones are replaced`() async throws {
    let cluster = try PostgreSQLCluster()
    // One that reads and one that writes, both there after a call of each kind.
    let store = try PostgreSQLStore(PostgreSQLConfiguration(url: cluster.url + "&connections=2", schema: "lost"))
    try store.migrate([Self.table])
    let watcher = try cluster.connect()
    func sessions() throws -> Set<String?> {
      Set(
        try watcher.execute("SELECT pid FROM pg_stat_activity WHERE application_name = 'assent-lost'").map { $0[0] })
    }
    try await store.write([Self.add(1)]) { _, _ in }
    _ = try await store.read(SQLStatement("SELECT value FROM item WHERE app = 'app'"))
    let before = try sessions()
    #expect(before.count >= 2)
    try watcher.execute("SELECT pg_terminate_backend(\(before.first!!))")
    while try !sessions().isDisjoint(with: before) { try await Task.sleep(for: .milliseconds(5)) }
    try await store.write([Self.add(1)]) { _, _ in }
    store.close()
  }

  /// A session that is ended while its transaction is open has done nothing; the write is done again on another.
  @Test func aSessionThatIsEndedBeforeItsCommitCostsTheCallerNothing() async throws {
    let cluster = try PostgreSQLCluster()
    let store = try Self.open(cluster)
    for _ in 0..<10 {
      let round = Lock(0)
      try await store.write([Self.add(1)]) { _, writes in
        // Runs on the store's thread, between the two round trips.
        let isFirst = round.withLock { round in
          round += 1
          return round == 1
        }
        if isFirst { try Self.endSessions(cluster) }
        writes.add("UPDATE item SET value = value WHERE app = 'app' AND id = 1")
      }
      #expect(round.withLock { $0 } == 2)
    }
    #expect(try await store.read(SQLStatement("SELECT value FROM item WHERE app = 'app'"))[0].int(0) == 10)
    store.close()
  }

  private static func endSessions(_ cluster: PostgreSQLCluster) throws {
    let ended = try cluster.connect().execute(
      "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE state = 'idle in transaction'")
    #expect(ended[0][0] == "1")
  }

  /// A replica that stops in the middle of a transaction keeps its locks no longer than two seconds.
  @Test func aReplicaThatStopsGivesItsLocksUp() async throws {
    let cluster = try PostgreSQLCluster()
    let (paused, other) = (try Self.open(cluster), try Self.open(cluster))
    let stopped = WakeEvent(blocking: true)
    let goOn = WakeEvent(blocking: true)
    let isFirst = Lock(true)
    async let late: Int64 = paused.write([Self.add(1)]) { rows, _ in
      let first = isFirst.withLock { first in
        defer { first = false }
        return first
      }
      if first {
        stopped.signal()
        goOn.clear()
      }
      return rows[0][0].int(0)
    }
    await Task.detached { stopped.clear() }.value
    try await other.write([Self.add(1)]) { _, _ in }
    goOn.signal()
    // What it had read was undone; it sees the other's write now.
    #expect(try await late == 2)
    paused.close()
    other.close()
  }

  @Test(arguments: ["synchronous_commit=off", "lock_timeout=0", "idle_in_transaction_session_timeout=0"])
  func aServerWithoutASettingThatAGuaranteeNeedsIsRefused(_ setting: String) throws {
    let cluster = try PostgreSQLCluster()
    try cluster.connect().execute(
      "ALTER ROLE postgres SET \(setting.split(separator: "=")[0]) = '\(setting.split(separator: "=")[1])'")
    let error = #expect(throws: SQLStoreError.self) {
      _ = try PostgreSQLStore(PostgreSQLConfiguration(url: cluster.url + "&prepared=off"))
    }
    #expect(error.map { "\($0)" }?.contains(String(setting.split(separator: "=")[0])) == true)
    // With the connection of its own settings there is nothing to refuse.
    try PostgreSQLStore(PostgreSQLConfiguration(url: cluster.url)).close()
  }
}
