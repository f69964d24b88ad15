// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import SQLStore
internal import SQLStorePostgreSQL
internal import SQLStoreSQLite

/// Where a store is, as configured: `sqlite:/var/lib/assent/consent.db`, a plain path, or
/// `postgresql://assent@db/assent?sslmode=verify-full&sslrootcert=/etc/assent/ca.pem`.
public struct StoreLocation: Sendable {
  private enum Engine {
    case sqlite(path: String)
    case postgresql(PostgreSQLConfiguration)
  }
  private let engine: Engine

  /// - Parameters:
  ///   - schema: the PostgreSQL schema where the URL names none: a service's own.
  ///   - password: the PostgreSQL user's, where the URL has none.
  /// - Throws: `SQLStoreError` naming the schemes there are. The text is not repeated: it may hold a password.
  public init(_ text: String, schema: String = "assent", password: String? = nil) throws {
    guard let colon = text.firstIndex(of: ":"), !text[..<colon].contains("/") else {
      engine = try Self.sqlite(text)
      return
    }
    switch text[..<colon] {
    case "sqlite": engine = try Self.sqlite(String(text[text.index(after: colon)...]))
    case "postgresql", "postgres":
      engine = .postgresql(try PostgreSQLConfiguration(url: text, schema: schema, password: password))
    default: throw SQLStoreError(.failed, "no store driver for this URL: the scheme must be sqlite or postgresql")
    }
  }

  private static func sqlite(_ path: String) throws -> Engine {
    guard !path.isEmpty else { throw SQLStoreError(.failed, "a store needs a path, such as sqlite:data/consent.db") }
    return .sqlite(path: path)
  }

  /// Opens the store.
  /// - Parameter onOutcomeUnknown: must end the process; see `SQLiteStore`. A store in PostgreSQL never calls it: there
  ///   the outcome is unknown to one caller alone, and the server knows what it holds.
  /// - Throws: `SQLStoreError`.
  public func open(onOutcomeUnknown: (@Sendable (SQLStoreError) -> Void)? = nil) throws -> any SQLStore {
    switch engine {
    case .sqlite(let path): try SQLiteStore(path: path, onOutcomeUnknown: onOutcomeUnknown)
    case .postgresql(let configuration): try PostgreSQLStore(configuration)
    }
  }
}
