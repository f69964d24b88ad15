// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import SQLStore
internal import SettingsContracts

extension DevicePermission {
  static func all(of device: Subject) -> SQLStatement {
    SQLStatement(
      """
      SELECT kind, status, detail, reported_at, changed_at, prompt_used_at, primer, cool_down_until
      FROM device_permission WHERE app = $1 AND device_id = $2
      """, .text(device.app), .text(device.deviceId!))
  }

  /// By kind. A word that a later version wrote and this one does not know is as good as none.
  static func byKind(_ rows: SQLRows) -> [PermissionKind: DevicePermission] {
    var permissions: [PermissionKind: DevicePermission] = [:]
    for row in rows {
      guard let kind = PermissionKind(rawValue: row.text(0)) else { continue }
      var permission = DevicePermission(kind)
      permission.status = row.optionalText(1).flatMap(PermissionStatus.init(rawValue:))
      permission.detail = row.optionalText(2)
      permission.reportedAt = row.optionalTimestamp(3)
      permission.changedAt = row.optionalTimestamp(4)
      permission.promptUsedAt = row.optionalTimestamp(5)
      permission.primer = PrimerState(rawValue: row.text(6)) ?? .notAsked
      permission.coolDownUntil = row.optionalTimestamp(7)
      permissions[kind] = permission
    }
    return permissions
  }

  func save(of device: Subject) -> SQLStatement {
    SQLStatement(
      """
      INSERT INTO device_permission
        (app, device_id, kind, status, detail, reported_at, changed_at, prompt_used_at, primer, cool_down_until)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
      ON CONFLICT (app, device_id, kind) DO UPDATE SET status = excluded.status, detail = excluded.detail,
        reported_at = excluded.reported_at, changed_at = excluded.changed_at,
        prompt_used_at = excluded.prompt_used_at, primer = excluded.primer, cool_down_until = excluded.cool_down_until
      """, .text(device.app), .text(device.deviceId!), .text(kind.rawValue), SQLValue(status?.rawValue),
      SQLValue(detail), SQLValue(reportedAt), SQLValue(changedAt), SQLValue(promptUsedAt), .text(primer.rawValue),
      SQLValue(coolDownUntil))
  }

  /// Moves `reported_at` forward and nothing else.
  static func confirm(_ kind: PermissionKind, of device: Subject, at: Timestamp) -> SQLStatement {
    SQLStatement(
      """
      UPDATE device_permission SET reported_at = $4
      WHERE app = $1 AND device_id = $2 AND kind = $3 AND reported_at < $4
      """, .text(device.app), .text(device.deviceId!), .text(kind.rawValue), SQLValue(at))
  }
}

extension PersonPrimer {
  static func one(_ kind: PermissionKind, of account: Subject) -> SQLStatement {
    SQLStatement(
      "SELECT state, cool_down_until FROM person_primer WHERE app = $1 AND account_id = $2 AND kind = $3",
      .text(account.app), .text(account.accountId!), .text(kind.rawValue))
  }

  init(_ rows: SQLRows) {
    guard let row = rows.first else { return }
    state = PrimerState(rawValue: row.text(0)) ?? .notAsked
    coolDownUntil = row.optionalTimestamp(1)
  }

  func save(_ kind: PermissionKind, of account: Subject) -> SQLStatement {
    SQLStatement(
      """
      INSERT INTO person_primer (app, account_id, kind, state, cool_down_until) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (app, account_id, kind) DO UPDATE SET state = excluded.state,
        cool_down_until = excluded.cool_down_until
      """, .text(account.app), .text(account.accountId!), .text(kind.rawValue), .text(state.rawValue),
      SQLValue(coolDownUntil))
  }
}
