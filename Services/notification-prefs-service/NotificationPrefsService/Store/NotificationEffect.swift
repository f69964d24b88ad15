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
}
