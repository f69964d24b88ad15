// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import RPC
internal import SQLStore
internal import ServiceKit
internal import SettingsContracts

/// `permission.report` and `permission.list`.
struct StatusMethods: Sendable {
  let ledger: Ledger
  let catalogs: CatalogStore

  func report(_ params: PermissionReportParams, _ context: CallContext) async throws -> PermissionListResult {
    let reports = try params.reports()
    let caller = try Caller(context, accountId: params.accountId, deviceId: params.deviceId)
    let catalog = try await catalogs.current(context.app)
    let result = try await ledger.write(
      caller.device, also: caller.others, context, method: PermissionMethods.report.name, params: params,
      reads: [KnownDevice.one(caller.device), DevicePermission.all(of: caller.device)]
    ) { rows, change in
      try Self.take(reports, params, caller, catalog, context.locale, rows, &change)
    }
    if result.entryId == nil { try await confirm(reports, of: caller.device) }
    return result
  }

  func list(_ params: PermissionListParams, _ context: CallContext) async throws -> PermissionListResult {
    if let locale = params.locale { try LanguageTag.check(locale, "locale") }
    let subject = try context.subject(accountId: params.accountId, deviceId: params.deviceId)
    let catalog = try await catalogs.current(context.app)
    let locale = params.locale ?? context.locale
    guard let device = try await device(of: subject, named: try context.deviceId(params.deviceId)) else {
      return PermissionListResult(items: Self.items(catalog, locale, [:]), revision: 0, deviceId: nil)
    }
    let rows = try await ledger.read([
      Ledger.headStatement(device), KnownDevice.one(device), DevicePermission.all(of: device),
    ])
    // A key that names both means this account's device.
    if params.accountId != nil, let owner = KnownDevice(rows[1])?.accountId, owner != subject.accountId {
      throw RPCError.notFound("deviceId: device", field: "deviceId")
    }
    return PermissionListResult(
      items: Self.items(catalog, locale, DevicePermission.byKind(rows[2])), revision: rows[0].first?.int(1) ?? 0,
      deviceId: device.deviceId)
  }

  /// The device named, or the account's that was seen last.
  private func device(of subject: Subject, named: String?) async throws -> Subject? {
    if let named { return .device(subject.app, named) }
    guard subject.accountId != nil else { return subject }
    return try await ledger.read([KnownDevice.latest(of: subject)])[0].first.map { .device(subject.app, $0.text(0)) }
  }

  /// A report that says what is known changes nothing that anybody sees, so it is no event and uses no revision; yet one
  /// that was read before it and arrives after it must be seen to be older.
  private func confirm(_ reports: [Report], of device: Subject) async throws {
    let now = ledger.clock.now()
    do {
      try await ledger.store.write([]) { _, writes in
        writes.add(KnownDevice.seen(device, at: now))
        for report in reports {
          writes.add(DevicePermission.confirm(report.kind, of: device, at: min(report.at ?? now, now)))
        }
      }
    } catch let error as SQLStoreError {
      throw RPCError(error)
    }
  }

  // MARK: Decisions

  private static func take(
    _ reports: [Report], _ params: PermissionReportParams, _ caller: Caller, _ catalog: Catalog, _ locale: String?,
    _ rows: [SQLRows], _ change: inout Change
  ) throws -> PermissionListResult {
    let owner = KnownDevice(rows[0])
    var permissions = DevicePermission.byKind(rows[1])
    var outdated: [PermissionKind] = []
    var changed: [PermissionKind] = []
    for report in reports {
      var permission = permissions[report.kind] ?? DevicePermission(report.kind)
      let at = min(report.at ?? change.now, change.now)
      switch permission.take(report.status, detail: report.detail, at: at) {
      case .outdated: outdated.append(report.kind)
      case .confirmed: break
      case .changed: changed.append(report.kind)
      }
      permissions[report.kind] = permission
    }
    let isLinked = caller.account != nil && owner?.accountId != caller.account?.accountId
    var result = PermissionListResult(
      items: items(catalog, locale, permissions), revision: change.head.seq, deviceId: caller.device.deviceId,
      outdated: outdated.isEmpty ? nil : outdated)
    guard isLinked || !changed.isEmpty else {
      result.revision = change.leaveUnchanged()
      return result
    }
    try change.apply(PermissionEffect.device(accountId: caller.account?.accountId, at: change.now))
    for report in reports where !outdated.contains(report.kind) {
      try change.apply(PermissionEffect.permission(state: permissions[report.kind]!))
    }
    var personal: [String: JSONValue] = [:]
    if let version = params.osVersion { personal["osVersion"] = .string(version) }
    for kind in changed {
      let entryId = change.record(
        "permission.changed",
        facts: [
          "permission": .string(kind.rawValue), "status": .string(permissions[kind]!.status!.rawValue),
          "platform": .string(params.platform.rawValue),
        ], personal: personal, on: caller.trail)
      result.entryId = result.entryId ?? entryId
    }
    if changed.isEmpty { result.entryId = change.record("permission.deviceLinked", facts: [:], on: caller.trail) }
    if changed.contains(.notifications) {
      change.payload = NotificationPermissionChanged.payload(caller.device, permissions[.notifications])
    }
    return result
  }

  private static func items(
    _ catalog: Catalog, _ locale: String?, _ permissions: [PermissionKind: DevicePermission]
  ) -> [PermissionItem] {
    catalog.localized(locale).map { kind in
      let permission = permissions[kind.kind]
      let status = permission?.status ?? .notAsked
      return PermissionItem(
        kind: kind.kind, name: kind.name, symbol: kind.symbol, reason: kind.reason, status: status,
        limited: status == .limited ? kind.limited : nil, detail: permission?.detail, changedAt: permission?.changedAt)
    }
  }
}
