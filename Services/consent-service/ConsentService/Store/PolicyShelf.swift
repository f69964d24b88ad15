// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import SQLStore
internal import SettingsContracts
internal import Threading

/// The policies of every app, in memory. Cannot be wrong: every snapshot of a record carries the revision of its app's
/// policies, and a history of another revision is not used.
final class PolicyShelf: Sendable {
  /// Whom writes of an app's policies, and of what else `consent_app` holds, are about.
  static func subject(_ app: String) -> Subject { Subject(app: app, id: topic) }
  private static let topic = Subject.topic("", "policy").id

  private let store: any SQLStore
  private let histories = Lock<[String: PolicyHistory]>([:])

  init(_ store: any SQLStore) { self.store = store }

  /// The history of that revision, if it is here.
  func history(_ app: String, revision: Int64) -> PolicyHistory? {
    histories.withLock { histories in
      guard let history = histories[app], history.revision == revision else { return nil }
      return history
    }
  }

  /// The newest history that was loaded, for who checks its revision later.
  func latest(_ app: String) -> PolicyHistory? { histories.withLock { $0[app] } }

  /// Reads an app's policies anew.
  /// - Throws: `SQLStoreError`, `JSONDecodingError`.
  func load(_ app: String) async throws -> PolicyHistory {
    let rows = try await store.read([
      SQLStatement("SELECT revision, default_regulation FROM consent_app WHERE app = $1", .text(app)),
      SQLStatement(
        "SELECT document, published_at FROM consent_policy WHERE app = $1 ORDER BY version", .text(app)),
    ])
    let history = PolicyHistory(
      revision: rows[0].first?.int(0) ?? 0,
      versions: try [.builtIn]
        + rows[1].map { row in
          PolicyVersion(
            try JSON.decode(ConsentPolicy.self, from: row.text(0)), publishedAt: Timestamp(milliseconds: row.int(1)))
        },
      defaultRegulation: rows[0].first?.optionalText(1))
    histories.withLock { histories in
      if history.revision >= histories[app]?.revision ?? 0 { histories[app] = history }
    }
    return history
  }
}
