// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import SQLStore
internal import SettingsContracts

/// The table `account`.
enum ProfileRows {
  static func select(_ subject: Subject) -> SQLStatement {
    SQLStatement(
      """
      SELECT account_id, name, email, plan, appearance, locale, time_zone, created_at
      FROM account WHERE app = $1 AND account_id = $2
      """, .text(subject.app), SQLValue(subject.accountId))
  }

  /// With the revision behind it.
  static func selectWithRevision(_ subject: Subject) -> SQLStatement {
    SQLStatement(
      """
      SELECT a.account_id, a.name, a.email, a.plan, a.appearance, a.locale, a.time_zone, a.created_at, h.seq
      FROM account a JOIN subject_head h ON h.app = a.app AND h.subject = $3
      WHERE a.app = $1 AND a.account_id = $2 AND h.state = 0
      """, .text(subject.app), SQLValue(subject.accountId), .text(subject.id))
  }

  static func profile(_ row: SQLRow) -> Profile {
    Profile(
      accountId: row.text(0), name: row.text(1), email: row.text(2), plan: row.optionalText(3),
      appearance: Appearance(rawValue: row.text(4)) ?? .system, locale: row.text(5), timeZone: row.text(6),
      createdAt: row.timestamp(7))
  }

  static func insert(_ profile: Profile, app: String) -> SQLStatement {
    SQLStatement(
      """
      INSERT INTO account (app, account_id, name, email, plan, appearance, locale, time_zone, created_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
      ON CONFLICT (app, account_id) DO UPDATE SET name = excluded.name, email = excluded.email, plan = excluded.plan,
        appearance = excluded.appearance, locale = excluded.locale, time_zone = excluded.time_zone,
        created_at = excluded.created_at
      """, .text(app), .text(profile.accountId), .text(profile.name), .text(profile.email), SQLValue(profile.plan),
      .text(profile.appearance.rawValue), .text(profile.locale), .text(profile.timeZone),
      SQLValue(profile.createdAt))
  }

  static func update(_ profile: Profile, app: String) -> SQLStatement {
    SQLStatement(
      """
      UPDATE account SET name = $3, email = $4, plan = $5, appearance = $6, locale = $7, time_zone = $8
      WHERE app = $1 AND account_id = $2
      """, .text(app), .text(profile.accountId), .text(profile.name), .text(profile.email), SQLValue(profile.plan),
      .text(profile.appearance.rawValue), .text(profile.locale), .text(profile.timeZone))
  }
}
