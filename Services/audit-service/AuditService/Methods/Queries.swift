// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import RPC
internal import ServiceKit
internal import SettingsContracts

/// `audit.entries` and `audit.currentDecisions`.
struct Queries: Sendable {
  /// Entries a page holds: by default, and at most.
  static let standardLimit = 50
  static let highestLimit = 200
  /// What a page's leaves and personal parts may add up to, in bytes; an answer shows them about once and is at most
  /// 1 MiB.
  private static let pageBytes = 400 * 1024

  let search: EntrySearch
  let reader: EntryReader

  func register(on router: inout MethodRouter) {
    router.on(AuditMethods.entries) { params, context in try await entries(params, context) }
    router.on(AuditMethods.currentDecisions) { params, context in try await currentDecisions(params, context) }
  }

  private func entries(_ params: AuditEntriesParams, _ context: CallContext) async throws -> AuditPage {
    let scope = try AuditScope(context, accountId: params.accountId, deviceId: params.deviceId)
    let query = try EntryQuery(
      params, for: scope.reader, standard: Self.standardLimit, most: Self.highestLimit)
    try await search.wait(for: params.after, context)
    var items: [AuditEntry] = []
    var bytes = 0
    let next = try await search.each(query, scope, context) { entry in
      guard items.isEmpty || bytes + entry.byteCount <= Self.pageBytes else { return false }
      items.append(try entry.shown(to: scope.reader))
      bytes += entry.byteCount
      return true
    }
    return AuditPage(items: items, nextCursor: next?.cursor)
  }

  private func currentDecisions(_ params: CurrentDecisionsParams, _ context: CallContext) async throws
    -> CurrentDecisions
  {
    let subject = try context.subject(accountId: params.accountId, deviceId: params.deviceId)
    try await search.wait(for: params.after, context)
    let entries = try await reader.currentDecisions(app: context.app, subject: subject.id)
    return CurrentDecisions(items: try entries.map { try $0.shown(to: AuditScope.reader(context)) })
  }
}
