// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import Events
internal import JSONRPC
internal import RPC
internal import SQLStore
internal import ServiceKit
internal import SettingsContracts

/// `app.publish`, `app.get`.
struct AppHandlers: Sendable {
  /// The app whose admins may make others.
  static let firstApp = "default"

  let ledger: Ledger
  let peers: Peers

  func publish(_ params: AppPublishParams, _ context: CallContext) async throws -> AppRecord {
    let app = params.app ?? context.app
    guard AppID.isValid(app) else { throw RPCError.invalidParams("app", AppID.rule) }
    guard app == context.app || context.app == Self.firstApp else { throw Self.notFound }
    let draft = try AppDraft(params, app: app, regulations: await regulations(params, context))
    let publishableKey = CredentialText.publishableKey(app: app)
    let adminText = CredentialText.serviceKey(app: app)
    let auth = AuthRows.head(app)
    return try await ledger.write(
      .topic(app, "app"), also: [auth], context, method: AppMethods.publish.name, params: params,
      reads: [AppRows.select(app)],
      stored: { made in
        var stored = made
        stored.adminKey = nil
        return stored
      }
    ) { rows, change in
      let before = try rows[0].first.map { try AppRows.record($0) }
      if let sent = params.publishableKey, sent != before?.publishableKey {
        throw RPCError.invalidParams("publishableKey", "is made here: must be the app's own, or be left out")
      }
      let authSeq = change.heads[auth]!.seq
      var record = draft.record(publishableKey: before?.publishableKey ?? publishableKey, revision: change.head.seq)
      if var before {
        before.revision = record.revision
        guard before != record else {
          record.revision = change.leaveUnchanged()
          return record
        }
      }
      try change.apply(AccountEffect.appPublished(record: record, authSeq: authSeq))
      change.payload =
        AppEventPayload(
          defaultLocale: record.defaultLocale, defaultRegulation: record.defaultRegulation
        ).json
      record.entryId = change.record("app.published", facts: draft.facts)
      if before == nil {
        let key = ServiceKey(
          keyId: Identifier.next(change.now), name: "first-admin", owner: record.name, role: .admin,
          createdAt: change.now)
        try change.apply(AccountEffect.keyMade(key, text: adminText, authSeq: authSeq))
        change.record("key.created", facts: KeyHandlers.facts(key), personal: KeyHandlers.personal(key))
        record.adminKey = adminText
      }
      return record
    }
  }

  /// The regulations that consent-service knows. While it cannot be asked those that it knows of itself.
  private func regulations(_ params: AppPublishParams, _ context: CallContext) async -> [String] {
    guard let named = params.defaultRegulation, !RegulationNames.builtIn.contains(named) else {
      return RegulationNames.builtIn
    }
    let deadline = Deadline.after(milliseconds: context.deadline.remainingMilliseconds / 2)
    let catalog = try? await peers.call(
      ConsentMethods.catalog, ConsentCatalogParams(), app: context.app, deadline: deadline,
      requestId: context.requestId)
    return catalog?.regulations.map(\.id) ?? RegulationNames.builtIn
  }

  func get(_ params: Empty, _ context: CallContext) async throws -> AppRecord {
    guard let row = try await ledger.read([AppRows.select(context.app)])[0].first else { throw Self.notFound }
    return try AppRows.record(row)
  }

  static let notFound = RPCError.notFound("app")
}
