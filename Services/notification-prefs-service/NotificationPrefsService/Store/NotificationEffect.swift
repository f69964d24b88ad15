// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import SQLStore
internal import SettingsContracts

/// What a write leaves in this service's tables.
enum NotificationEffect: StoreEffect, Hashable {
  case catalog(categories: [Catalog.Category], at: Timestamp)
  /// Of the write's subject.
  case preferences(chosen: Preferences)

  func statements(at place: EventPlace) throws -> [SQLStatement] {
    let statement =
      switch self {
      case .catalog(let categories, let at):
        try CatalogStore.save(
          Catalog(revision: place.head.seq, categories: categories), app: place.subject.app, at: at)
      case .preferences(let chosen): try AccountState.save(chosen, of: place.subject)
      }
    return [statement]
  }

  /// Removes everything about a device or a person.
  static func erase(_ subject: Subject) -> [SQLStatement] {
    if let device = subject.deviceId {
      return [
        SQLStatement(
          "DELETE FROM notification_device WHERE app = $1 AND device_id = $2", .text(subject.app), .text(device))
      ]
    }
    guard let account = subject.accountId else { return [] }
    let place: [SQLValue] = [.text(subject.app), .text(account)]
    return [
      SQLStatement("DELETE FROM notification_preferences WHERE app = $1 AND account_id = $2", parameters: place),
      SQLStatement("DELETE FROM notification_account WHERE app = $1 AND account_id = $2", parameters: place),
      SQLStatement(
        "UPDATE notification_device SET account_id = NULL WHERE app = $1 AND account_id = $2", parameters: place),
    ]
  }
}
