// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import RPC
internal import ServiceKit
internal import SettingsContracts

/// `consent.get` and `consent.history`.
struct Reads: Sendable {
  let records: RecordStore
  let clock: any WallClock
  let peers: Peers

  func register(on router: inout MethodRouter) {
    router.on(ConsentMethods.get) { params, context in try await get(params, context) }
    router.on(ConsentMethods.history) { params, context in try await history(params, context) }
  }

  private func get(_ params: ConsentGetParams, _ context: CallContext) async throws -> ConsentState {
    if let locale = params.locale { try LanguageTag.check(locale, "locale") }
    let locale = params.locale ?? context.locale
    let addressee = try Addressee(context, accountId: params.accountId, deviceId: params.deviceId)
    let known = try await records.read(addressee)
    let view = known.view
    guard !view.isDeleted else { throw RPCError.notFound("the subject", reason: "subjectDeleted") }
    let now = clock.now()
    var edit = RecordEdit(addressee, view, known.policy, records.regulations, requestGPC: context.gpc, now: now)
    if edit.isPending {
      // The request carries a signal that is news: keep it, and what it means, before answering.
      return try await records.change(
        addressee, context, method: ConsentMethods.get.name, params: params, locale: locale
      ) { _, _ in }
    }
    return edit.state(revision: view.revision, locale)
  }

  /// The audit trail belongs to audit-service; this is the part of it that is about consent.
  private func history(_ params: ConsentHistoryParams, _ context: CallContext) async throws -> AuditPage {
    let addressee = try Addressee(context, accountId: params.accountId, deviceId: params.deviceId)
    if let category = params.category, !CategoryName.isValid(category) {
      throw RPCError.invalidParams("category", "not the id of a category")
    }
    if context.gpc {
      _ = try await records.keepingSignal(addressee, context, try await records.read(addressee), at: clock.now())
    }
    return try await peers.call(
      AuditMethods.entries,
      AuditEntriesParams(
        accountId: addressee.subject.accountId, deviceId: addressee.subject.deviceId, kind: "consent.*",
        category: params.category, after: params.after, limit: params.limit, cursor: params.cursor),
      app: context.app, deadline: context.deadline, requestId: context.requestId)
  }
}
