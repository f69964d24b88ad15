// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import SQLStore

/// A device that reported, and the account last signed in on it.
struct KnownDevice: Sendable, Hashable {
  var accountId: String?

  static func one(_ device: Subject) -> SQLStatement {
    SQLStatement(
      "SELECT account_id FROM permission_device WHERE app = $1 AND device_id = $2", .text(device.app),
      .text(device.deviceId!))
  }

  init?(_ rows: SQLRows) {
    guard let row = rows.first else { return nil }
    accountId = row.optionalText(0)
  }

  /// The device of an account that was seen last: its id, or no row.
  static func latest(of account: Subject) -> SQLStatement {
    SQLStatement(
      """
      SELECT device_id FROM permission_device WHERE app = $1 AND account_id = $2
      ORDER BY seen_at DESC, device_id LIMIT 1
      """, .text(account.app), .text(account.accountId!))
  }

  /// A device stays its last account's until another signs in on it.
  static func save(_ device: Subject, accountId: String?, seenAt: Timestamp) -> SQLStatement {
    SQLStatement(
      """
      INSERT INTO permission_device (app, device_id, account_id, seen_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT (app, device_id) DO UPDATE SET
        account_id = COALESCE(excluded.account_id, permission_device.account_id), seen_at = excluded.seen_at
      """, .text(device.app), .text(device.deviceId!), SQLValue(accountId), SQLValue(seenAt))
  }

  /// Moves `seen_at` forward and nothing else.
  static func seen(_ device: Subject, at: Timestamp) -> SQLStatement {
    SQLStatement(
      "UPDATE permission_device SET seen_at = $3 WHERE app = $1 AND device_id = $2 AND seen_at < $3",
      .text(device.app), .text(device.deviceId!), SQLValue(at))
  }
}
