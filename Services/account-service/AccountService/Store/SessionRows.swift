// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import SQLStore

/// The table `session`.
enum SessionRows {
  static func select(app: String, _ sessionId: String) -> SQLStatement {
    SQLStatement(
      """
      SELECT app, session_id, account_id, device_id, generation, device_name, platform, app_version, created_at,
        authenticated_at, last_seen_at, expires_at, refresh_count, token_until, ended_at, spent_by
      FROM session WHERE app = $1 AND session_id = $2
      """, .text(app), .text(sessionId))
  }

  /// Selects, and keeps others from it until the transaction ends.
  static func lock(app: String, _ sessionId: String) -> SQLStatement {
    SQLStatement(
      lock: """
        UPDATE session SET refresh_count = refresh_count WHERE app = $1 AND session_id = $2
        RETURNING app, session_id, account_id, device_id, generation, device_name, platform, app_version, created_at,
          authenticated_at, last_seen_at, expires_at, refresh_count, token_until, ended_at, spent_by
        """, .text(app), .text(sessionId))
  }

  /// The newest of a device: what it runs on.
  static func selectNewest(app: String, device: String) -> SQLStatement {
    SQLStatement(
      """
      SELECT app, session_id, account_id, device_id, generation, device_name, platform, app_version, created_at,
        authenticated_at, last_seen_at, expires_at, refresh_count, token_until, ended_at, spent_by
      FROM session WHERE app = $1 AND device_id = $2 ORDER BY session_id DESC LIMIT 1
      """, .text(app), .text(device))
  }

  /// The live ones of an account, newest first, from before `last` on.
  static func selectLive(_ subject: Subject, now: Timestamp, before last: String? = nil, limit: Int) -> SQLStatement {
    SQLStatement(
      """
      SELECT app, session_id, account_id, device_id, generation, device_name, platform, app_version, created_at,
        authenticated_at, last_seen_at, expires_at, refresh_count, token_until, ended_at, spent_by
      FROM session
      WHERE app = $1 AND account_id = $2 AND session_id < $3 AND ended_at IS NULL AND expires_at > $4
      ORDER BY session_id DESC LIMIT $5
      """, .text(subject.app), SQLValue(subject.accountId), .text(last ?? "~"), SQLValue(now), SQLValue(limit))
  }

  static func session(_ row: SQLRow) -> Session {
    var session = Session(
      app: row.text(0), sessionId: row.text(1), accountId: row.optionalText(2), deviceId: row.text(3),
      generation: row.int(4), authenticatedAt: row.optionalTimestamp(9), now: row.timestamp(8))
    session.deviceName = row.optionalText(5)
    session.platform = row.optionalText(6)
    session.appVersion = row.optionalText(7)
    session.lastSeenAt = row.timestamp(10)
    session.expiresAt = row.timestamp(11)
    session.refreshCount = row.int(12)
    session.tokenUntil = row.timestamp(13)
    session.endedAt = row.optionalTimestamp(14)
    return session
  }

  /// Of a row of `select`: hash of the idempotency key under which the last refresh token was spent.
  static func spentBy(_ row: SQLRow) -> [UInt8]? { row.optionalBlob(15) }

  static func insert(_ session: Session) -> SQLStatement {
    SQLStatement(
      """
      INSERT INTO session (app, session_id, account_id, device_id, generation, device_name, platform, app_version,
        created_at, authenticated_at, last_seen_at, expires_at, refresh_count, token_until, auth_seq)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 0)
      ON CONFLICT (app, session_id) DO NOTHING
      """, .text(session.app), .text(session.sessionId), SQLValue(session.accountId), .text(session.deviceId),
      SQLValue(session.generation), SQLValue(session.deviceName), SQLValue(session.platform),
      SQLValue(session.appVersion), SQLValue(session.createdAt), SQLValue(session.authenticatedAt),
      SQLValue(session.lastSeenAt), SQLValue(session.expiresAt), SQLValue(session.refreshCount),
      SQLValue(session.tokenUntil))
  }

  /// Stores that a refresh token was spent.
  static func spend(_ session: Session, by key: [UInt8]?) -> SQLStatement {
    SQLStatement(
      """
      UPDATE session SET refresh_count = $3, last_seen_at = $4, expires_at = $5, token_until = $6, spent_by = $7
      WHERE app = $1 AND session_id = $2
      """, .text(session.app), .text(session.sessionId), SQLValue(session.refreshCount),
      SQLValue(session.lastSeenAt), SQLValue(session.expiresAt), SQLValue(session.tokenUntil), SQLValue(key))
  }

  /// Stores that the person was verified again.
  static func authenticate(_ session: Session) -> SQLStatement {
    SQLStatement(
      "UPDATE session SET authenticated_at = $3, token_until = $4 WHERE app = $1 AND session_id = $2",
      .text(session.app), .text(session.sessionId), SQLValue(session.authenticatedAt), SQLValue(session.tokenUntil))
  }

  /// Ends one session. `authSeq`: the revision of the app's head `x:auth`.
  static func end(app: String, _ sessionId: String, now: Timestamp, authSeq: Int64) -> SQLStatement {
    SQLStatement(
      "UPDATE session SET ended_at = $3, auth_seq = $4 WHERE app = $1 AND session_id = $2 AND ended_at IS NULL",
      .text(app), .text(sessionId), SQLValue(now), SQLValue(authSeq))
  }

  /// Ends every session of an account.
  static func endAll(_ subject: Subject, now: Timestamp, authSeq: Int64) -> SQLStatement {
    SQLStatement(
      "UPDATE session SET ended_at = $3, auth_seq = $4 WHERE app = $1 AND account_id = $2 AND ended_at IS NULL",
      .text(subject.app), SQLValue(subject.accountId), SQLValue(now), SQLValue(authSeq))
  }

  /// Ends the sessions that a device had before sign-in.
  static func endBeforeSignIn(app: String, device: String, now: Timestamp, authSeq: Int64) -> SQLStatement {
    SQLStatement(
      """
      UPDATE session SET ended_at = $3, auth_seq = $4
      WHERE app = $1 AND device_id = $2 AND account_id IS NULL AND ended_at IS NULL
      """, .text(app), .text(device), SQLValue(now), SQLValue(authSeq))
  }

  /// In `spent_by` of a session whose store was restored: its `refresh_count` is what the backup knew, or less.
  static let isForgotten: [UInt8] = [0]

  /// After a restore: tokens may have been given since the backup that this store knows nothing of. None is good for longer
  /// than this.
  static func forget(now: Timestamp) -> SQLStatement {
    SQLStatement(
      """
      UPDATE session SET spent_by = $1, token_until = CASE WHEN token_until < $2 THEN $2 ELSE token_until END
      """, .blob(isForgotten), SQLValue(Session.tokenEnd(now) + 1_000))
  }

  /// Removes those that are over and whose tokens have all expired.
  static func removeOver(app: String, now: Timestamp) -> SQLStatement {
    SQLStatement(
      "DELETE FROM session WHERE app = $1 AND expires_at <= $2 AND token_until <= $2", .text(app), SQLValue(now))
  }
}
