// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import SQLStore
internal import SettingsContracts

/// What other services' events tell of devices, sessions and accounts.
enum DeviceRows {
  static func status(_ device: Subject) -> SQLStatement {
    SQLStatement(
      "SELECT status FROM notification_device WHERE app = $1 AND device_id = $2", .text(device.app),
      .text(device.deviceId!))
  }

  static func save(_ permission: NotificationPermissionChanged, app: String) -> SQLStatement {
    SQLStatement(
      """
      INSERT INTO notification_device (app, device_id, status, reported_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT (app, device_id) DO UPDATE SET status = excluded.status, reported_at = excluded.reported_at
      """, .text(app), .text(permission.deviceId), .text(permission.status.rawValue), SQLValue(permission.at))
  }

  static func save(_ account: AccountEventPayload, of subject: Subject) -> SQLStatement {
    SQLStatement(
      """
      INSERT INTO notification_account (app, account_id, locale, time_zone) VALUES ($1, $2, $3, $4)
      ON CONFLICT (app, account_id) DO UPDATE SET locale = excluded.locale, time_zone = excluded.time_zone
      """, .text(subject.app), .text(subject.accountId!), .text(account.locale), .text(account.timeZone))
  }

  static func start(_ sessionId: String, on deviceId: String, of account: Subject, at: Timestamp) -> SQLStatement {
    SQLStatement(
      """
      INSERT INTO notification_session (app, session_id, account_id, device_id, started_at)
      VALUES ($1, $2, $3, $4, $5) ON CONFLICT (app, session_id) DO NOTHING
      """, .text(account.app), .text(sessionId), .text(account.accountId!), .text(deviceId), SQLValue(at))
  }

  static func end(_ sessionId: String, of account: Subject) -> SQLStatement {
    SQLStatement(
      "DELETE FROM notification_session WHERE app = $1 AND session_id = $2 AND account_id = $3", .text(account.app),
      .text(sessionId), .text(account.accountId!))
  }

  static func endAll(of account: Subject) -> SQLStatement {
    SQLStatement(
      "DELETE FROM notification_session WHERE app = $1 AND account_id = $2", .text(account.app),
      .text(account.accountId!))
  }
}
