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

  /// The device is this account's from now on, unless a later session is known there.
  static func start(_ sessionId: String, on deviceId: String, of account: Subject, at: Timestamp) -> SQLStatement {
    SQLStatement(
      """
      INSERT INTO notification_device (app, device_id, account_id, session_id, started_at) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (app, device_id) DO UPDATE SET account_id = excluded.account_id, session_id = excluded.session_id,
        started_at = excluded.started_at
      WHERE notification_device.started_at IS NULL OR notification_device.started_at <= excluded.started_at
      """, .text(account.app), .text(deviceId), .text(account.accountId!), .text(sessionId), SQLValue(at))
  }

  /// The device is nobody's, unless another session is known there.
  static func end(_ sessionId: String, on deviceId: String, of account: Subject) -> SQLStatement {
    SQLStatement(
      "UPDATE notification_device SET account_id = NULL WHERE app = $1 AND device_id = $2 AND session_id = $3",
      .text(account.app), .text(deviceId), .text(sessionId))
  }

  static func endAll(of account: Subject) -> SQLStatement {
    SQLStatement(
      "UPDATE notification_device SET account_id = NULL WHERE app = $1 AND account_id = $2", .text(account.app),
      .text(account.accountId!))
  }
}
