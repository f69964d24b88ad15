// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// One step of a component's schema, applied once and in order, in a transaction, never changed afterwards.
///
/// `sql` is written once for both engines: types `BIGINT`, `REAL`, `TEXT`, `BLOB`, in capitals; every table ends with `STRICT`
/// (or `STRICT, WITHOUT ROWID` where the key is not one integer); every key starts with `app`. Each engine's driver turns
/// these words into its own. Where replicas share a store, the version before runs on it while they are replaced: a
/// migration leaves what that one reads and writes.
public struct Migration: Sendable {
  /// From 1, without gaps, within the component.
  public let version: Int
  public let name: String
  public let sql: String
  /// Whose schema it is. Components have versions of their own and share one store: `events`, and the service's.
  public let component: String
  /// Tables whose rows are changed again and again. An engine that writes a changed row beside the old one keeps room for
  /// it on the same page.
  public let rewritten: [String]
  /// Only for stores that log whole pages (`SQLStore.logsWholePages`); in others it takes its number and changes nothing.
  public let forWholePages: Bool

  public init(
    version: Int, name: String, sql: String = "", component: String = "service", rewritten: [String] = [],
    forWholePages: Bool = false
  ) {
    self.version = version
    self.name = name
    self.sql = sql
    self.component = component
    self.rewritten = rewritten
    self.forWholePages = forWholePages
  }

  /// A migration from an embedded `V0001_start.sql`.
  public init(
    version: Int, name: String, sql: [UInt8], component: String = "service", forWholePages: Bool = false
  ) {
    self.init(
      version: version, name: name, sql: String(decoding: sql, as: UTF8.self), component: component,
      forWholePages: forWholePages)
  }
}

extension Migration {
  /// Of the text, by which a store knows that a migration was not changed after it had been applied (FNV-1a, 64 bits).
  public var checksum: Int64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in sql.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return Int64(bitPattern: hash)
  }
}
