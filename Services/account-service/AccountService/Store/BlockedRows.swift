// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import SQLStore
internal import SettingsContracts

/// The table `blocked_account`.
enum BlockedRows {
  static func find(_ subject: Subject, _ blockedId: String) -> SQLStatement {
    SQLStatement(
      "SELECT blocked_at FROM blocked_account WHERE app = $1 AND account_id = $2 AND blocked_id = $3",
      .text(subject.app), SQLValue(subject.accountId), .text(blockedId))
  }

  static func count(_ subject: Subject) -> SQLStatement {
    SQLStatement(
      "SELECT COUNT(*) FROM blocked_account WHERE app = $1 AND account_id = $2", .text(subject.app),
      SQLValue(subject.accountId))
  }

  /// Newest first, one more than `limit`, from after the place of `last` on.
  static func page(_ subject: Subject, after last: BlockedAccount?, limit: Int) -> SQLStatement {
    SQLStatement(
      """
      SELECT blocked_id, blocked_at FROM blocked_account
      WHERE app = $1 AND account_id = $2 AND (blocked_at < $3 OR blocked_at = $3 AND blocked_id < $4)
      ORDER BY blocked_at DESC, blocked_id DESC LIMIT $5
      """, .text(subject.app), SQLValue(subject.accountId),
      SQLValue(last?.blockedAt ?? Timestamp(milliseconds: .max)), .text(last?.blockedId ?? ""), SQLValue(limit + 1))
  }

  static func item(_ row: SQLRow) -> BlockedAccount {
    BlockedAccount(blockedId: row.text(0), blockedAt: row.timestamp(1))
  }

  static func insert(_ subject: Subject, _ item: BlockedAccount) -> SQLStatement {
    SQLStatement(
      """
      INSERT INTO blocked_account (app, account_id, blocked_id, blocked_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT (app, account_id, blocked_id) DO UPDATE SET blocked_at = excluded.blocked_at
      """,
      .text(subject.app), SQLValue(subject.accountId), .text(item.blockedId), SQLValue(item.blockedAt))
  }

  static func delete(_ subject: Subject, _ blockedId: String) -> SQLStatement {
    SQLStatement(
      "DELETE FROM blocked_account WHERE app = $1 AND account_id = $2 AND blocked_id = $3", .text(subject.app),
      SQLValue(subject.accountId), .text(blockedId))
  }
}
