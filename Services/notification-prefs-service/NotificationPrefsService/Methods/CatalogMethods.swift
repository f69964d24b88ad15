// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import RPC
internal import SettingsContracts

/// `notifications.catalog` and `notifications.publishCatalog`.
struct CatalogMethods: Sendable {
  let ledger: Ledger
  let catalogs: CatalogStore
  let consents: ConsentSource

  func catalog(
    _ params: NotificationCatalogParams, _ context: CallContext
  ) async throws -> NotificationCatalogResult {
    if let locale = params.locale { try LanguageTag.check(locale, "locale") }
    return try await catalogs.current(context.app).localized(params.locale ?? context.locale)
  }

  func publish(
    _ params: NotificationPublishCatalogParams, _ context: CallContext
  ) async throws -> NotificationCatalogResult {
    try params.check()
    if params.categories.contains(where: { $0.consentCategory != nil }), let known = await consents.categories(context)
    {
      try params.checkConsents(known)
    }
    let app = context.app
    return try await ledger.write(
      CatalogStore.subject(app), context, method: NotificationMethods.publishCatalog.name, params: params,
      reads: [CatalogStore.whole(app)]
    ) { rows, change in
      if let live = try CatalogStore.catalog(rows[0]), live.categories == params.categories {
        change.leaveUnchanged()
        return live.localized(context.locale)
      }
      let catalog = Catalog(revision: change.head.seq, categories: params.categories)
      try change.apply(NotificationEffect.catalog(categories: catalog.categories, at: change.now))
      let entryId = change.record(
        "notifications.catalogPublished",
        facts: [
          "revision": .integer(catalog.revision), "categories": .array(params.categories.map { .string($0.id) }),
        ])
      return catalog.localized(context.locale, entryId: entryId)
    }
  }
}
