// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import RPC
internal import SettingsContracts

/// `permission.catalog` and `permission.publishCatalog`.
struct CatalogMethods: Sendable {
  let ledger: Ledger
  let catalogs: CatalogStore

  func catalog(_ params: PermissionCatalogParams, _ context: CallContext) async throws -> PermissionCatalogResult {
    if let locale = params.locale { try LanguageTag.check(locale, "locale") }
    let catalog = try await catalogs.current(context.app)
    return PermissionCatalogResult(
      revision: catalog.revision, kinds: catalog.localized(params.locale ?? context.locale))
  }

  func publish(
    _ params: PermissionPublishCatalogParams, _ context: CallContext
  ) async throws -> PermissionCatalogResult {
    try params.check()
    let app = context.app
    return try await ledger.write(
      CatalogStore.subject(app), context, method: PermissionMethods.publishCatalog.name, params: params,
      reads: [CatalogStore.whole(app)]
    ) { rows, change in
      if let live = try CatalogStore.catalog(rows[0]), live.kinds == params.kinds {
        change.leaveUnchanged()
        return PermissionCatalogResult(revision: live.revision, kinds: live.localized(context.locale))
      }
      let catalog = Catalog(revision: change.head.seq, kinds: params.kinds)
      try change.apply(PermissionEffect.catalog(kinds: catalog.kinds, at: change.now))
      let entryId = change.record(
        "permission.catalogPublished",
        facts: [
          "revision": .integer(catalog.revision), "kinds": .array(params.kinds.map { .string($0.kind.rawValue) }),
        ])
      return PermissionCatalogResult(
        revision: catalog.revision, kinds: catalog.localized(context.locale), entryId: entryId)
    }
  }
}
