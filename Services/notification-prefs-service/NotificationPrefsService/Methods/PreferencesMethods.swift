// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import RPC
internal import SQLStore
internal import ServiceKit
internal import SettingsContracts
internal import TimeZones

/// `notifications.get`, `notifications.save` and `notifications.update`.
struct PreferencesMethods: Sendable {
  let ledger: Ledger
  let catalogs: CatalogStore
  let zones: TimeZoneDatabase

  func get(_ params: NotificationGetParams, _ context: CallContext) async throws -> NotificationPreferencesResult {
    if let locale = params.locale { try LanguageTag.check(locale, "locale") }
    let account = Subject.account(context.app, try context.accountId(params.accountId))
    let catalog = try await catalogs.current(context.app)
    let screen = try Screen(context, deviceId: params.deviceId)
    let rows = try await ledger.read(Self.reads(account, screen))
    let state = try Self.state(rows)
    return Self.view(state, catalog, params.locale ?? context.locale, screen, rows)
      .result(of: state.preferences, revision: state.revision)
  }

  func save(_ params: NotificationSaveParams, _ context: CallContext) async throws -> NotificationPreferencesResult {
    try checkZone(params.preferences.quietHours.timeZone, "preferences.quietHours.timeZone")
    return try await change(
      params.accountId, params, NotificationMethods.save.name, expecting: params.revision, context
    ) { state, catalog throws(RPCError) in
      try state.preferences.saving(params.preferences, catalog, accountZone: state.timeZone)
    }
  }

  func update(
    _ params: NotificationUpdateParams, _ context: CallContext
  ) async throws -> NotificationPreferencesResult {
    try checkZone(params.quietHours?.timeZone, "quietHours.timeZone")
    return try await change(
      params.accountId, params, NotificationMethods.update.name, expecting: params.revision, context
    ) { state, catalog throws(RPCError) in
      try state.preferences.updating(params, catalog, accountZone: state.timeZone)
    }
  }

  /// - Parameters:
  ///   - revision: where the caller started from; another one refuses the change.
  ///   - edit: pure.
  private func change<P: Encodable & Sendable>(
    _ accountId: String?, _ params: P, _ method: String, expecting revision: Int64?, _ context: CallContext,
    _ edit: @escaping @Sendable (AccountState, Catalog) throws(RPCError) -> Preferences
  ) async throws -> NotificationPreferencesResult {
    let account = Subject.account(context.app, try context.accountId(accountId))
    let catalog = try await catalogs.current(context.app)
    let screen = try Screen(context, deviceId: nil)
    return try await ledger.write(
      account, context, method: method, params: params, reads: Self.reads(account, screen)
    ) { rows, change in
      var state = try Self.state(rows)
      state.revision = change.head.seq - 1
      let view = Self.view(state, catalog, context.locale, screen, rows)
      if let revision, revision != state.revision {
        throw Self.stale(view.result(of: state.preferences, revision: state.revision))
      }
      let preferences = try edit(state, catalog)
      guard preferences != state.preferences else {
        return view.result(of: preferences, revision: change.leaveUnchanged())
      }
      try change.apply(NotificationEffect.preferences(chosen: preferences))
      let entryId = Self.record(preferences, since: state.preferences, catalog, &change)
      return view.result(of: preferences, revision: change.head.seq, entryId: entryId)
    }
  }

  // MARK: Decisions

  /// One record for each category that is another one now, one for the quiet hours and one for the digest.
  /// - Returns: the first one's id.
  private static func record(
    _ preferences: Preferences, since before: Preferences, _ catalog: Catalog, _ change: inout Change
  ) -> String? {
    var entryIds: [String] = []
    for category in catalog.categories where preferences.choices[category.id] != before.choices[category.id] {
      let on = preferences.on(category)
      entryIds.append(
        change.record(
          "notifications.changed",
          facts: [
            "category": .string(category.id), "status": on.isEmpty ? "off" : "on",
            "channels": .array(on.map { .string($0.rawValue) }),
          ]))
    }
    if preferences.quietHours != before.quietHours {
      let hours = preferences.quietHours
      entryIds.append(
        change.record(
          "notifications.quietHours", facts: ["status": hours.isOn ? "on" : "off"],
          personal: [
            "from": .string(hours.from.description), "to": .string(hours.to.description),
            "timeZone": hours.timeZone.map { .string($0) } ?? .null,
          ]))
    }
    if preferences.digest != before.digest {
      entryIds.append(
        change.record("notifications.digest", facts: ["status": .string(preferences.digest.rawValue)]))
    }
    return entryIds.first
  }

  /// The screen started from what is no longer so; `current` is what is.
  private static func stale(_ current: NotificationPreferencesResult) -> any Error {
    do {
      return RPCError(
        .aborted, "revision: the preferences changed since; current is \(current.revision)", reason: "staleRevision",
        field: "revision", details: ["current": try JSON.decode(JSONValue.self, from: try JSON.encode(current))])
    } catch {
      return error
    }
  }

  private func checkZone(_ name: String?, _ field: String) throws(RPCError) {
    guard let name, zones.zone(named: name) == nil else { return }
    throw .invalidParams(field, "must be an IANA time zone name, such as Europe/Berlin")
  }

  // MARK: Reads

  private static func reads(_ account: Subject, _ screen: Screen) -> [SQLStatement] {
    var reads = AccountState.statements(account)
    if case .own(let device) = screen { reads.append(DeviceRows.status(device)) }
    return reads
  }

  private static func state(_ rows: [SQLRows]) throws -> AccountState {
    let state = try AccountState(rows[..<AccountState.statementCount])
    if state.isDeleted { throw RPCError.notFound("account") }
    return state
  }

  private static func view(
    _ state: AccountState, _ catalog: Catalog, _ locale: String?, _ screen: Screen, _ rows: [SQLRows]
  ) -> PreferencesView {
    let authorization: NotificationAuthorization
    switch screen {
    case .own:
      authorization = NotificationAuthorization(permission: rows[AccountState.statementCount].first?.optionalText(0))
    case .named(let deviceId):
      authorization = state.devices.first { $0.deviceId == deviceId }?.authorization ?? .notDetermined
    case .none:
      let known = Set(state.devices.map(\.authorization))
      authorization = [.allowed, .quiet, .denied].first(where: known.contains) ?? .notDetermined
    }
    return PreferencesView(
      catalog: catalog, locale: locale ?? state.locale, accountZone: state.timeZone, authorization: authorization)
  }
}

/// The device whose status a screen shows.
private enum Screen {
  /// A person's own, known here also before account-service told of the session.
  case own(Subject)
  /// By a key: one of the account's, or of nobody.
  case named(String)
  /// The caller has none: the account's most willing one.
  case none

  init(_ context: CallContext, deviceId: String?) throws(RPCError) {
    guard let deviceId = try context.deviceId(deviceId) else {
      self = .none
      return
    }
    self = context.principal.kind == .user ? .own(.device(context.app, deviceId)) : .named(deviceId)
  }
}
