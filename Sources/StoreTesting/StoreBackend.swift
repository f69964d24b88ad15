// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import SQLStore
internal import SQLStoreSQLite

/// An engine that tests run on: `@Test(arguments: StoreBackend.all)`.
public struct StoreBackend: Sendable, CustomStringConvertible {
  public let description: String
  let open: @Sendable (_ folder: String) throws -> any SQLStore

  /// SQLite in a temporary folder.
  public static let sqlite = StoreBackend(description: "SQLite") { try SQLiteStore(path: $0 + "/store.db") }

  /// Every engine there is.
  public static let all: [StoreBackend] = [sqlite]
}
