// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import SQLStore
internal import SettingsContracts
internal import Threading

/// The apps' catalogs. A revision never changes, so those that were read stay; which one is live is read each time.
struct CatalogStore: Sendable {
  private let ledger: Ledger
  private let known = Lock<[String: Catalog]>([:])

  init(_ ledger: Ledger) { self.ledger = ledger }

  static func subject(_ app: String) -> Subject { .topic(app, "notificationCatalog") }

  /// The live one.
  func current(_ app: String) async throws -> Catalog {
    let revisions = try await ledger.read([
      SQLStatement("SELECT revision FROM notification_catalog WHERE app = $1", .text(app))
    ])
    guard let revision = revisions[0].first?.int(0) else { return .builtIn }
    if let catalog = known.withLock({ $0[app] }), catalog.revision == revision { return catalog }
    let rows = try await ledger.read([Self.whole(app)])
    let catalog = try Self.catalog(rows[0]) ?? .builtIn
    known.withLock { $0[app] = catalog }
    return catalog
  }

  static func whole(_ app: String) -> SQLStatement {
    SQLStatement("SELECT revision, categories FROM notification_catalog WHERE app = $1", .text(app))
  }

  static func catalog(_ rows: SQLRows) throws -> Catalog? {
    guard let row = rows.first else { return nil }
    return Catalog(revision: row.int(0), categories: try JSON.decode([Catalog.Category].self, from: row.text(1)))
  }

  static func save(_ catalog: Catalog, app: String, at: Timestamp) throws -> SQLStatement {
    SQLStatement(
      """
      INSERT INTO notification_catalog (app, revision, published_at, categories) VALUES ($1, $2, $3, $4)
      ON CONFLICT (app) DO UPDATE SET revision = excluded.revision, published_at = excluded.published_at,
        categories = excluded.categories
      """, .text(app), .integer(catalog.revision), SQLValue(at), .text(try JSON.encodeString(catalog.categories)))
  }
}
