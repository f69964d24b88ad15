// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Why the store did not do what it was asked. `message` is for the log: it names tables and codes, never values.
public struct SQLStoreError: Error, Sendable, Hashable, CustomStringConvertible {
  public enum Kind: Sendable, Hashable {
    /// Not done; may be tried again: closed, full, locked.
    case unavailable
    /// Nobody can know whether it was done: the COMMIT failed.
    case outcomeUnknown
    /// Not done: another write was in the way (PostgreSQL's serialization failures and deadlocks).
    case conflict
    /// Not done, and trying again would not help: a constraint, a faulty statement, a damaged file.
    case failed
  }

  public let kind: Kind
  public let message: String
  /// The engine's own code, such as SQLite's extended result code.
  public let code: Int?

  public init(_ kind: Kind, _ message: String, code: Int? = nil) {
    self.kind = kind
    self.message = message
    self.code = code
  }

  public var description: String { "\(message)\(code.map { " (\($0))" } ?? "")" }
}
