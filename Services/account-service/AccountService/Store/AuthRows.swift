// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import Events
internal import JSONRPC
internal import SQLStore
internal import SettingsContracts

/// What gateways judge credentials by, by the revision of its last change.
enum AuthRows {
  /// Rows of one kind and app in a page. At most `Session.limitPerAccount` and a few rows share a revision, so a page
  /// always holds at least one revision whole.
  static let pageSize = 500

  /// How far a gateway's clock may be behind this one, in milliseconds: so much longer are ended sessions told.
  private static let clockSkewMs: Int64 = 5 * 60 * 1000

  /// The app's head that every change of keys, sessions' ends and the app's record takes.
  static func head(_ app: String) -> Subject { .topic(app, "auth") }

  /// Every app with its head's revision.
  static let heads = SQLStatement(
    """
    SELECT a.app, h.seq FROM app a JOIN subject_head h ON h.app = a.app AND h.subject = 'x:auth' ORDER BY a.app
    """)

  /// App, keys and ended sessions of one app, changed after `revision`; from the beginning (0) without those that are
  /// refused anyway. Each by revision, last column, one more than a page.
  static func changes(of app: String, after revision: Int64, now: Timestamp) -> [SQLStatement] {
    // What is over matters to a gateway that knew it before, and to no other.
    let over: SQLValue = revision == 0 ? SQLValue(now) : SQLValue(Timestamp(milliseconds: 0))
    return [
      SQLStatement(
        """
        SELECT a.app, a.name, a.publishable_key, a.default_locale, a.details, a.auth_seq
        FROM app a WHERE a.app = $1 AND a.auth_seq > $2
        """, .text(app), SQLValue(revision)),
      SQLStatement(
        """
        SELECT key_id, hash, name, scopes, role, expires_at, revoked_at, auth_seq FROM service_key
        WHERE app = $1 AND auth_seq > $2 AND (revoked_at IS NULL OR $2 > 0) AND (expires_at IS NULL OR expires_at > $3)
        ORDER BY auth_seq LIMIT $4
        """, .text(app), SQLValue(revision), over, SQLValue(pageSize + 1)),
      SQLStatement(
        """
        SELECT session_id, token_until, auth_seq FROM session
        WHERE app = $1 AND auth_seq > 0 AND auth_seq > $2 AND token_until > $3 ORDER BY auth_seq LIMIT $4
        """, .text(app), SQLValue(revision), SQLValue(now + -clockSkewMs), SQLValue(pageSize + 1)),
    ]
  }

  static func app(_ row: SQLRow) throws -> AuthApp {
    let record = try AppRows.record(row)
    return AuthApp(
      app: record.app, publishableKey: record.publishableKey, origins: record.origins,
      defaultLocale: record.defaultLocale)
  }

  static func key(_ row: SQLRow, app: String) -> AuthKey {
    AuthKey(
      app: app, keyId: row.text(0), hash: Hex.encode(row.blob(1)), name: row.text(2),
      scopes: row.optionalText(3).map(KeyRows.scopes), role: row.optionalText(4).flatMap(KeyRole.init),
      expiresAt: row.optionalTimestamp(5), revoked: row.isNull(6) ? nil : true)
  }

  static func revocation(_ row: SQLRow, app: String) -> AuthRevocation {
    AuthRevocation(app: app, sessionId: row.text(0), until: row.timestamp(1))
  }
}
