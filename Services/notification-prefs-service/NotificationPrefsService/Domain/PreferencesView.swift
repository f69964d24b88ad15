// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// What a person's screen shows of their preferences.
struct PreferencesView: Sendable {
  var catalog: Catalog
  var locale: String?
  /// Of the account: where quiet hours are meant without a zone of their own.
  var accountZone: String
  /// Of the device the screen is on.
  var authorization: NotificationAuthorization

  func result(of preferences: Preferences, revision: Int64, entryId: String? = nil) -> NotificationPreferencesResult {
    var quietHours = preferences.quietHours
    quietHours.timeZone = quietHours.timeZone ?? accountZone
    return NotificationPreferencesResult(
      revision: revision,
      categories: catalog.categories.map { category in
        let texts = category.texts(locale)
        return NotificationPreferencesResult.Category(
          id: category.id, title: texts.title, detail: texts.detail, symbol: category.symbol,
          channels: category.channels, on: preferences.on(category), locked: category.isCritical ? true : nil)
      }, quietHours: quietHours, digest: preferences.digest, authorization: authorization, entryId: entryId)
  }
}
