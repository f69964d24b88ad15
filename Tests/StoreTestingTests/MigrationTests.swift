// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import SQLStore
import StoreTesting
import Testing

@Suite struct MigrationTests {
  private static let first = Migration(
    version: 1, name: "start", sql: "CREATE TABLE a (app TEXT PRIMARY KEY, at BIGINT NOT NULL) STRICT;")
  private static let second = Migration(version: 2, name: "more", sql: "ALTER TABLE a ADD COLUMN more BIGINT;")

  @Test(arguments: StoreBackend.all) func areAppliedOnceAndInOrder(_ backend: StoreBackend) async throws {
    let test = try TestStore(backend)
    try test.store.migrate([Self.first])
    try test.store.migrate([Self.first, Self.second])
    try test.store.migrate([Self.first, Self.second])
    #expect(try await test.store.read(SQLStatement("SELECT at, more FROM a")).isEmpty)
  }

  @Test(arguments: StoreBackend.all) func ofSeveralComponentsShareOneStore(_ backend: StoreBackend) async throws {
    let test = try TestStore(backend, migrations: [Self.first])
    let other = Migration(
      version: 1, name: "start", sql: "CREATE TABLE b (app TEXT PRIMARY KEY) STRICT;", component: "other")
    try test.store.migrate([other])
    try test.store.migrate([Self.first, Self.second])
    #expect(try await test.store.read(SQLStatement("SELECT app FROM b")).isEmpty)
  }

  @Test(arguments: StoreBackend.all) func aChangedOneIsRefused(_ backend: StoreBackend) throws {
    let test = try TestStore(backend, migrations: [Self.first])
    let changed = Migration(version: 1, name: "start", sql: Self.first.sql + " ")
    let error = #expect(throws: SQLStoreError.self) { try test.store.migrate([changed, Self.second]) }
    #expect(error?.message.contains("migration 1 (start) of service is not the one that was applied") == true)
  }

  @Test(arguments: StoreBackend.all) func aNewerSchemaIsRefused(_ backend: StoreBackend) throws {
    let third = Migration(version: 3, name: "most", sql: "ALTER TABLE a ADD COLUMN most BIGINT;")
    let test = try TestStore(backend, migrations: [Self.first, Self.second, third])
    let error = #expect(throws: SQLStoreError.self) { try test.store.migrate([Self.first]) }
    #expect(error?.message.contains("is version 3, ") == true)
    #expect(error?.message.contains("newer than this program knows (1)") == true)
  }

  @Test(arguments: StoreBackend.all) func aFailingOneLeavesNothing(_ backend: StoreBackend) async throws {
    let test = try TestStore(backend, migrations: [Self.first])
    let faulty = Migration(version: 2, name: "bad", sql: "CREATE TABLE c (app TEXT PRIMARY KEY) STRICT; NONSENSE;")
    let error = #expect(throws: SQLStoreError.self) { try test.store.migrate([Self.first, faulty]) }
    #expect(error?.message.hasPrefix("migration 2 (bad) of service: ") == true)
    try test.store.migrate([Self.first, Self.second])
    await #expect(throws: SQLStoreError.self) { try await test.store.read(SQLStatement("SELECT app FROM c")) }
  }

  @Test(arguments: StoreBackend.all) func aTableThatIsNotStrictIsRefused(_ backend: StoreBackend) throws {
    let test = try TestStore(backend)
    let loose = Migration(version: 1, name: "loose", sql: "CREATE TABLE a (app TEXT PRIMARY KEY);")
    let error = #expect(throws: SQLStoreError.self) { try test.store.migrate([loose]) }
    #expect(error?.message.contains("table a is not STRICT") == true)
  }

  @Test(arguments: StoreBackend.all) func oneForWholePagesIsAppliedWhereTheyAreLogged(
    _ backend: StoreBackend
  ) async throws {
    let pages = Migration(
      version: 2, name: "pages", sql: "CREATE TABLE c (app TEXT PRIMARY KEY) STRICT;", forWholePages: true)
    let third = Migration(version: 3, name: "most", sql: "ALTER TABLE a ADD COLUMN most BIGINT;")
    let test = try TestStore(backend, migrations: [Self.first, pages])
    try test.store.migrate([Self.first, pages, third])
    #expect(try await test.store.read(SQLStatement("SELECT most FROM a")).isEmpty)
    if test.store.logsWholePages {
      #expect(try await test.store.read(SQLStatement("SELECT app FROM c")).isEmpty)
    } else {
      await #expect(throws: SQLStoreError.self) { try await test.store.read(SQLStatement("SELECT app FROM c")) }
    }
  }

  @Test(arguments: StoreBackend.all) func numbersHaveNoGaps(_ backend: StoreBackend) throws {
    let test = try TestStore(backend)
    #expect(throws: SQLStoreError.self) { try test.store.migrate([Self.first, Self.first]) }
    #expect(throws: SQLStoreError.self) { try test.store.migrate([Self.second]) }
  }
}
