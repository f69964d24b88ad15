// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import SQLStore
internal import SettingsContracts

/// All that is kept of an account, as one snapshot shows it.
struct AccountState: Sendable {
  var preferences: Preferences
  /// Of the account's record here; 0 while everything is by default.
  var revision: Int64
  var isDeleted: Bool
  var locale: String?
  /// An IANA name; UTC until account-service told.
  var timeZone: String
  /// Where the account is signed in, and what those devices' systems show.
  var devices: [NotificationDecision.Device]

  static let statementCount = 4

  static func statements(_ account: Subject) -> [SQLStatement] {
    let app = SQLValue.text(account.app)
    let accountId = SQLValue.text(account.accountId!)
    return [
      Ledger.headStatement(account),
      SQLStatement(
        "SELECT preferences FROM notification_preferences WHERE app = $1 AND account_id = $2", app, accountId),
      SQLStatement(
        "SELECT locale, time_zone FROM notification_account WHERE app = $1 AND account_id = $2", app, accountId),
      // A device is that of the account that signed in on it last.
      SQLStatement(
        """
        SELECT DISTINCT s.device_id, d.status FROM notification_session s
        LEFT JOIN notification_device d ON d.app = s.app AND d.device_id = s.device_id
        WHERE s.app = $1 AND s.account_id = $2 AND NOT EXISTS (
          SELECT 1 FROM notification_session later WHERE later.app = s.app AND later.device_id = s.device_id
            AND later.started_at > s.started_at AND later.account_id <> s.account_id)
        ORDER BY s.device_id
        """, app, accountId),
    ]
  }

  /// - Parameter rows: what `statements` returned.
  init(_ rows: some RandomAccessCollection<SQLRows>) throws {
    let rows = Array(rows)
    revision = rows[0].first?.int(1) ?? 0
    isDeleted = (rows[0].first?.int(2) ?? 0) != 0
    preferences = try rows[1].first.map { try JSON.decode(Preferences.self, from: $0.text(0)) } ?? .standard
    locale = rows[2].first?.text(0)
    timeZone = rows[2].first?.text(1) ?? "UTC"
    devices = rows[3].map {
      NotificationDecision.Device(
        deviceId: $0.text(0), authorization: NotificationAuthorization(permission: $0.optionalText(1)))
    }
  }

  static func save(_ preferences: Preferences, of account: Subject) throws -> SQLStatement {
    SQLStatement(
      """
      INSERT INTO notification_preferences (app, account_id, preferences) VALUES ($1, $2, $3)
      ON CONFLICT (app, account_id) DO UPDATE SET preferences = excluded.preferences
      """, .text(account.app), .text(account.accountId!), .text(try JSON.encodeString(preferences)))
  }
}

extension NotificationAuthorization {
  /// - Parameter permission: permission-service's word; nil where the device was never heard of.
  init(permission word: String?) {
    self =
      switch word.flatMap(PermissionStatus.init(rawValue:)) {
      case .allowed: .allowed
      case .limited: .quiet
      case .denied: .denied
      case .notAsked, nil: .notDetermined
      }
  }
}
