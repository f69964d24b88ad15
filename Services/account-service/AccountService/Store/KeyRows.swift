// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import SQLStore
internal import SettingsContracts

/// The table `service_key`.
enum KeyRows {
  static func select(app: String, _ keyId: String) -> SQLStatement {
    SQLStatement(
      """
      SELECT key_id, name, owner, scopes, role, created_at, expires_at, revoked_at
      FROM service_key WHERE app = $1 AND key_id = $2
      """, .text(app), .text(keyId))
  }

  static func page(app: String, after last: String?, limit: Int) -> SQLStatement {
    SQLStatement(
      """
      SELECT key_id, name, owner, scopes, role, created_at, expires_at, revoked_at
      FROM service_key WHERE app = $1 AND key_id > $2 ORDER BY key_id LIMIT $3
      """, .text(app), .text(last ?? ""), SQLValue(limit + 1))
  }

  static func find(app: String, name: String) -> SQLStatement {
    SQLStatement("SELECT key_id FROM service_key WHERE app = $1 AND name = $2", .text(app), .text(name))
  }

  static func find(app: String, hash: [UInt8]) -> SQLStatement {
    SQLStatement("SELECT key_id FROM service_key WHERE app = $1 AND hash = $2", .text(app), .blob(hash))
  }

  /// The ids of two admin keys that are good now, if there are as many.
  static func twoAdmins(app: String, now: Timestamp) -> SQLStatement {
    SQLStatement(
      """
      SELECT key_id FROM service_key
      WHERE app = $1 AND role = 'admin' AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2) LIMIT 2
      """, .text(app), SQLValue(now))
  }

  static func key(_ row: SQLRow) -> ServiceKey {
    ServiceKey(
      keyId: row.text(0), name: row.text(1), owner: row.text(2), scopes: row.optionalText(3).map(scopes),
      role: row.optionalText(4).flatMap(KeyRole.init), createdAt: row.timestamp(5),
      expiresAt: row.optionalTimestamp(6), revokedAt: row.optionalTimestamp(7))
  }

  static func insert(_ key: ServiceKey, hash: [UInt8], app: String, authSeq: Int64) -> SQLStatement {
    SQLStatement(
      """
      INSERT INTO service_key (app, key_id, name, owner, hash, scopes, role, created_at, expires_at, auth_seq)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
      ON CONFLICT (app, key_id) DO NOTHING
      """, .text(app), .text(key.keyId), .text(key.name), .text(key.owner), .blob(hash),
      SQLValue(key.scopes.map { $0.map(\.rawValue).joined(separator: " ") }), SQLValue(key.role?.rawValue),
      SQLValue(key.createdAt), SQLValue(key.expiresAt), SQLValue(authSeq))
  }

  static func revoke(app: String, _ keyId: String, now: Timestamp, authSeq: Int64) -> SQLStatement {
    SQLStatement(
      "UPDATE service_key SET revoked_at = $3, auth_seq = $4 WHERE app = $1 AND key_id = $2", .text(app),
      .text(keyId), SQLValue(now), SQLValue(authSeq))
  }

  static func scopes(_ text: String) -> [KeyScope] {
    text.split(separator: " ").compactMap { KeyScope(rawValue: String($0)) }
  }
}
