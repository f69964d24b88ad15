// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// The kinds of notification an app sends, in the order its screen lists them, with their texts in every language.
struct Catalog: Sendable, Hashable {
  typealias Category = NotificationPublishCatalogParams.Category

  /// 0 for the built-in one.
  var revision: Int64
  var categories: [Category]

  subscript(id: String) -> Category? { categories.first { $0.id == id } }

  /// What an app has until it publishes its own.
  static let builtIn = Catalog(
    revision: 0,
    categories: [
      Category(
        id: "messages",
        texts: [.init(locale: "en", title: "Messages", detail: "When somebody writes to you.")],
        symbol: "message", channels: [.push, .email, .sms], defaultOn: [.push, .email]),
      Category(
        id: "reminders",
        texts: [.init(locale: "en", title: "Reminders", detail: "At the times you chose.")],
        symbol: "clock.badge", channels: [.push, .email, .sms], defaultOn: [.push]),
      Category(
        id: "productNews",
        texts: [.init(locale: "en", title: "Product news", detail: "What is new, now and then.")],
        symbol: "sparkles", channels: [.push, .email], defaultOn: []),
    ])

  func localized(_ locale: String?, entryId: String? = nil) -> NotificationCatalogResult {
    NotificationCatalogResult(
      revision: revision,
      categories: categories.map { category in
        let texts = category.texts(locale)
        return NotificationCatalogResult.Category(
          id: category.id, title: texts.title, detail: texts.detail, symbol: category.symbol,
          channels: category.channels, defaultOn: category.defaults, critical: category.isCritical,
          commercial: category.commercial ?? false, consentCategory: category.consentCategory)
      }, entryId: entryId)
  }
}

extension Catalog.Category {
  /// Only what is said to be critical is.
  var isCritical: Bool { critical ?? false }

  /// The channels that are on until the person chooses, in display order.
  var defaults: [NotificationChannel] { defaultOn.map(offered) ?? (isCritical ? channels : []) }

  /// Those of `wanted` that are offered, in display order.
  func offered(_ wanted: [NotificationChannel]) -> [NotificationChannel] { channels.filter(wanted.contains) }

  func texts(_ locale: String?) -> NotificationPublishCatalogParams.Texts {
    LanguageTag.best(for: locale, among: texts, locale: \.locale) ?? .init(locale: "en", title: id)
  }
}
