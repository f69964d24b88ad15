// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import PostgreSQL
internal import SQLStore
internal import SQLStorePostgreSQL
internal import SQLStoreSQLite

/// An engine that tests run on: `@Test(arguments: StoreBackend.all)`.
public struct StoreBackend: Sendable, CustomStringConvertible {
  public let description: String
  let open: @Sendable (_ folder: String) throws -> any SQLStore
  /// Removes what is not in the folder.
  let remove: @Sendable (_ folder: String) -> Void

  /// SQLite in a temporary folder.
  public static let sqlite = StoreBackend(
    description: "SQLite", open: { try SQLiteStore(path: $0 + "/store.db") }, remove: { _ in })

  /// A schema of a server of the test process's own.
  public static let postgresql = postgresql("PostgreSQL", query: "&connections=3")

  /// The same as behind a pooler that keeps no session: nothing prepared, no settings with the connection.
  public static let pooledPostgreSQL = postgresql("PostgreSQL, nothing prepared", query: "&connections=3&prepared=off")

  /// Every engine there is.
  public static let all: [StoreBackend] = [sqlite, postgresql]

  /// The one that tests run on which need but one: SQLite, or what `ASSENT_TEST_STORE` names (`sqlite`, `postgresql`).
  public static let chosen: StoreBackend = {
    switch getenv("ASSENT_TEST_STORE").map({ String(cString: $0) }) ?? "sqlite" {
    case "sqlite": sqlite
    case "postgresql": postgresql
    case let other: preconditionFailure("ASSENT_TEST_STORE is \(other): must be sqlite or postgresql")
    }
  }()

  private static func postgresql(_ description: String, query: String) -> StoreBackend {
    StoreBackend(
      description: description,
      open: { folder in
        try PostgreSQLStore(
          PostgreSQLConfiguration(url: try PostgreSQLCluster.shared().url + query, schema: schema(folder)))
      },
      remove: { folder in
        guard let cluster = try? PostgreSQLCluster.shared(), let connection = try? cluster.connect() else { return }
        _ = try? connection.execute("DROP SCHEMA IF EXISTS \"\(schema(folder))\" CASCADE")
      })
  }

  static func schema(_ folder: String) -> String { String(folder[folder.index(after: folder.lastIndex(of: "/")!)...]) }
}
