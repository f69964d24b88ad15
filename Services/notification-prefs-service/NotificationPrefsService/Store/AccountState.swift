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

  static let statementCount = 2

  static func statements(_ account: Subject) -> [SQLStatement] {
    let app = SQLValue.text(account.app)
    let accountId = SQLValue.text(account.accountId!)
    return [
      // One row, whether or not there is anything.
      SQLStatement(
        """
        SELECT h.seq, h.state, p.preferences, a.locale, a.time_zone FROM (SELECT 1 AS one) AS always
        LEFT JOIN subject_head h ON h.app = $1 AND h.subject = $2
        LEFT JOIN notification_preferences p ON p.app = $1 AND p.account_id = $3
        LEFT JOIN notification_account a ON a.app = $1 AND a.account_id = $3
        """, app, .text(account.id), accountId),
      SQLStatement(
        """
        SELECT device_id, status FROM notification_device WHERE app = $1 AND account_id = $2 ORDER BY device_id
        """, app, accountId),
    ]
  }

  /// - Parameter rows: what `statements` returned.
  init(_ rows: some RandomAccessCollection<SQLRows>) throws {
    let account = rows.first![0]
    revision = account.optionalInt(0) ?? 0
    isDeleted = (account.optionalInt(1) ?? 0) != 0
    preferences = try account.optionalText(2).map { try JSON.decode(Preferences.self, from: $0) } ?? .standard
    locale = account.optionalText(3)
    timeZone = account.optionalText(4) ?? "UTC"
    devices = rows.last!.map {
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
