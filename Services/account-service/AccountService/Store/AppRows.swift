// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SQLStore
internal import SettingsContracts

/// The table `app`.
enum AppRows {
  /// What is looked at as a whole only.
  struct Details: Codable, Sendable {
    var controller: AppController?
    var publicUrl: String?
    var links: [String: AppLinks]
    var origins: [String]
    var mailFrom: String?
    var defaultRegulation: String?
  }

  static func select(_ app: String) -> SQLStatement {
    SQLStatement(
      """
      SELECT a.app, a.name, a.publishable_key, a.default_locale, a.details, h.seq
      FROM app a JOIN subject_head h ON h.app = a.app AND h.subject = 'x:app' WHERE a.app = $1
      """, .text(app))
  }

  /// - Throws: `JSONDecodingError` for details that this version cannot read.
  static func record(_ row: SQLRow) throws -> AppRecord {
    let details = try JSON.decode(Details.self, from: row.text(4))
    return AppRecord(
      app: row.text(0), name: row.text(1), controller: details.controller, publicUrl: details.publicUrl,
      links: details.links, origins: details.origins, mailFrom: details.mailFrom, defaultLocale: row.text(3),
      defaultRegulation: details.defaultRegulation, publishableKey: row.text(2), revision: row.int(5))
  }

  static func upsert(_ record: AppRecord, authSeq: Int64) throws -> SQLStatement {
    let details = Details(
      controller: record.controller, publicUrl: record.publicUrl, links: record.links, origins: record.origins,
      mailFrom: record.mailFrom, defaultRegulation: record.defaultRegulation)
    return SQLStatement(
      """
      INSERT INTO app (app, name, publishable_key, default_locale, details, auth_seq) VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT (app) DO UPDATE SET name = excluded.name, publishable_key = excluded.publishable_key,
        default_locale = excluded.default_locale, details = excluded.details, auth_seq = excluded.auth_seq
      """, .text(record.app), .text(record.name), .text(record.publishableKey), .text(record.defaultLocale),
      .text(try JSON.encodeString(details)), SQLValue(authSeq))
  }
}
