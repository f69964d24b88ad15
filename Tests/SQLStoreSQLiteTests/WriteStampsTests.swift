// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import SQLStore
import StoreTesting
import Testing

@testable import SQLStoreSQLite

@Suite("Write stamps") struct WriteStampsTests {
  private struct Refused: Error {}
  private static let table = Migration(version: 1, name: "start", sql: "CREATE TABLE item (id BIGINT) STRICT;")

  @Test("a key's stamp has grown when its writer is told, another's has not")
  func raised() async throws {
    let test = try TestStore(migrations: [Self.table])
    let store = test.store
    let stamps = try #require(store.stamps)
    let before = (stamps.stamp(of: 1), stamps.stamp(of: 2))
    try await store.write([]) { _, writes in writes.touch(1) }
    #expect(stamps.stamp(of: 1) > before.0)
    #expect(stamps.stamp(of: 2) == before.1)
  }

  @Test("a write that is rolled back leaves no stamp when it commits nothing")
  func refused() async throws {
    let test = try TestStore(migrations: [Self.table])
    let store = test.store
    let stamps = try #require(store.stamps)
    await #expect(throws: Refused.self) {
      try await store.write([]) { _, writes in
        writes.touch(1)
        throw Refused()
      }
    }
    #expect(stamps.stamp(of: 1) == 0)
  }

  @Test("what is read under a stamp holds every write that raised it before")
  func order() async throws {
    let test = try TestStore(migrations: [Self.table])
    let store = test.store
    let stamps = try #require(store.stamps)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 1...300 {
          try await store.write([]) { _, writes in
            writes.touch(7)
            writes.add("INSERT INTO item (id) VALUES ($1)", .integer(Int64(number)))
          }
        }
      }
      for _ in 0..<2 {
        group.addTask {
          var stamp: UInt64 = 0
          while stamp < 300 {
            stamp = stamps.stamp(of: 7)
            let rows = try await store.read([SQLStatement("SELECT count(*) FROM item")])
            store.turnEnded()
            #expect(rows[0][0].int(0) >= Int64(stamp))
            // Reads do not suspend; the writer's task wants its thread too.
            await Task.yield()
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
