// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import RPC
internal import SQLStore
internal import SettingsContracts

/// `permission.primer` and `permission.record`.
struct PrimerMethods: Sendable {
  let ledger: Ledger
  let catalogs: CatalogStore
  let clock: any WallClock

  func primer(_ params: PermissionPrimerParams, _ context: CallContext) async throws -> PermissionPrimerResult {
    try TextRule.check(params.appName, "appName", 1...100)
    if let locale = params.locale { try LanguageTag.check(locale, "locale") }
    let caller = try Caller(context, accountId: params.accountId, deviceId: params.deviceId)
    let kind = try await catalogs.current(context.app).localized(params.kind, params.locale ?? context.locale)
    let rows = try await ledger.read(Self.reads(params.kind, caller))
    let offer = PrimerOffer(
      Self.device(rows, params.kind), Self.person(rows), promptOnce: kind.promptOnce, now: clock.now())
    return PermissionPrimerResult(
      show: offer.show, why: offer.why, state: offer.state, content: kind.primer.naming(params.appName),
      askAgainAt: offer.askAgainAt)
  }

  func record(_ params: PermissionRecordParams, _ context: CallContext) async throws -> PermissionRecordResult {
    let caller = try Caller(context, accountId: params.accountId, deviceId: params.deviceId)
    let promptOnce = try await catalogs.current(context.app).localized(params.kind, nil).promptOnce
    return try await ledger.write(
      caller.device, also: caller.others, context, method: PermissionMethods.record.name, params: params,
      reads: Self.reads(params.kind, caller)
    ) { rows, change in
      try Self.apply(params, caller, promptOnce: promptOnce, rows, &change)
    }
  }

  // MARK: Decisions

  private static func apply(
    _ params: PermissionRecordParams, _ caller: Caller, promptOnce: Bool, _ rows: [SQLRows], _ change: inout Change
  ) throws -> PermissionRecordResult {
    let kind = params.kind
    let outcome = PrimerMachine.apply(
      params.event, to: device(rows, kind), person(rows), promptOnce: promptOnce, now: change.now)
    try change.apply(PermissionEffect.device(accountId: caller.account?.accountId, at: change.now))
    try change.apply(PermissionEffect.permission(state: outcome.device))
    if let accountId = caller.account?.accountId, let person = outcome.person {
      try change.apply(PermissionEffect.primer(accountId: accountId, kind: kind, state: person))
    }
    var facts: [String: JSONValue] = [
      "permission": .string(kind.rawValue), "event": .string(params.event.rawValue),
      "state": .string(outcome.device.primer.rawValue), "flagged": .bool(outcome.isFlagged),
    ]
    if let status = outcome.device.status { facts["status"] = .string(status.rawValue) }
    let entryId = change.record("permission.primer", facts: facts, on: caller.trail)

    if kind == .notifications, outcome.changedStatus {
      change.payload = NotificationPermissionChanged.payload(caller.device, outcome.device)
    }
    let offer = PrimerOffer(outcome.device, outcome.person, promptOnce: promptOnce, now: change.now)
    return PermissionRecordResult(
      kind: kind, state: offer.state, show: offer.show, why: offer.why, askAgainAt: offer.askAgainAt,
      status: outcome.device.status ?? .notAsked, flagged: outcome.isFlagged, revision: change.head.seq,
      entryId: entryId)
  }

  // MARK: Reads

  private static func reads(_ kind: PermissionKind, _ caller: Caller) -> [SQLStatement] {
    [DevicePermission.all(of: caller.device)]
      + (caller.account.map { [PersonPrimer.one(kind, of: $0)] } ?? [])
  }

  private static func device(_ rows: [SQLRows], _ kind: PermissionKind) -> DevicePermission {
    DevicePermission.byKind(rows[0])[kind] ?? DevicePermission(kind)
  }

  /// Nil where nobody is signed in.
  private static func person(_ rows: [SQLRows]) -> PersonPrimer? { rows.count > 1 ? PersonPrimer(rows[1]) : nil }
}
