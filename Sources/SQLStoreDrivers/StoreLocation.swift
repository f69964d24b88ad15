// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import SQLStore
internal import SQLStoreSQLite

/// Where a store is, as configured: `sqlite:/var/lib/assent/consent.db`, or a plain path.
public struct StoreLocation: Sendable, Hashable, CustomStringConvertible {
  public let description: String
  private let path: String

  /// - Throws: `SQLStoreError` naming the schemes there are.
  public init(_ text: String) throws {
    description = text
    if let colon = text.firstIndex(of: ":"), !text[..<colon].contains("/") {
      guard text[..<colon] == "sqlite" else {
        throw SQLStoreError(.failed, "no store driver for \(text[..<colon]): the scheme is sqlite")
      }
      path = String(text[text.index(after: colon)...])
    } else {
      path = text
    }
    guard !path.isEmpty else { throw SQLStoreError(.failed, "a store needs a path, such as sqlite:data/consent.db") }
  }

  /// Opens the store.
  /// - Parameter onOutcomeUnknown: must end the process; see `SQLiteStore`.
  /// - Throws: `SQLStoreError`.
  public func open(onOutcomeUnknown: (@Sendable (SQLStoreError) -> Void)? = nil) throws -> any SQLStore {
    try SQLiteStore(path: path, onOutcomeUnknown: onOutcomeUnknown)
  }
}
