// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import Events
internal import JSONRPC
internal import RPC
internal import SQLStore
internal import ServiceKit
internal import SettingsContracts

/// `account.create`, `get`, `rename`, `update`, `setAppearance`.
struct AccountHandlers: Sendable {
  let ledger: Ledger

  func create(_ params: AccountCreateParams, _ context: CallContext) async throws -> Account {
    let accountId = try newId(params.accountId, context)
    let subject = Subject.account(context.app, accountId)
    let name = try Profile.checkedName(params.name, locale: context.locale)
    let email = try EmailAddress.checked(params.email, "email", locale: context.locale)
    let plan = try params.plan.flatMap { plan throws(RPCError) in try Profile.checkedPlan(plan) }
    let locale = try params.locale.map { locale throws(RPCError) in try LanguageTag.checked(locale, "locale") }
    let timeZone = try Profile.checkedTimeZone(params.timeZone ?? "UTC")
    return try await ledger.write(
      subject, context, method: AccountMethods.create.name, params: params,
      reads: [ProfileRows.select(subject), AppRows.select(context.app)], reviving: true
    ) { rows, change in
      guard rows[0].isEmpty else {
        throw RPCError.alreadyExists(
          "accountId: the account is there already", reason: "accountExists", field: "accountId")
      }
      let appLocale = try rows[1].first.map { try AppRows.record($0).defaultLocale }
      let profile = Profile(
        accountId: accountId, name: name, email: email, plan: plan, locale: locale ?? appLocale ?? "en",
        timeZone: timeZone, createdAt: change.now)
      try change.apply(AccountEffect.accountMade(profile: profile))
      change.payload = Self.payload(profile)
      let entryId = change.record(
        "account.created", facts: [:],
        personal: [
          "name": .string(name), "email": .string(email), "plan": plan.map { .string($0) } ?? .null,
          "locale": .string(profile.locale), "timeZone": .string(timeZone),
        ])
      return profile.account(revision: change.head.seq, entryId: entryId)
    }
  }

  func get(_ params: AccountGetParams, _ context: CallContext) async throws -> Account {
    let subject = Subject.account(context.app, try context.accountId(params.accountId))
    guard let row = try await ledger.read([ProfileRows.selectWithRevision(subject)])[0].first else {
      throw Self.notFound
    }
    return ProfileRows.profile(row).account(revision: row.int(8))
  }

  func rename(_ params: AccountRenameParams, _ context: CallContext) async throws -> Account {
    let name = try Profile.checkedName(params.name, locale: context.locale)
    return try await change(
      params.accountId, context, AccountMethods.rename.name, params, kind: "account.renamed"
    ) { $0.name = name }
  }

  func update(_ params: AccountUpdateParams, _ context: CallContext) async throws -> Account {
    if context.principal.kind == .user {
      for (field, value) in [("name", params.name), ("email", params.email), ("plan", params.plan)] where value != nil {
        throw RPCError.permissionDenied(
          "\(field): only a key with the scope account changes it here", reason: "notYours", field: field)
      }
    }
    let locale = try params.locale.map { locale throws(RPCError) in try LanguageTag.checked(locale, "locale") }
    let timeZone = try params.timeZone.map { zone throws(RPCError) in try Profile.checkedTimeZone(zone) }
    let name = try params.name.map { name throws(RPCError) in
      try Profile.checkedName(name, locale: context.locale)
    }
    let email = try params.email.map { email throws(RPCError) in
      try EmailAddress.checked(email, "email", locale: context.locale)
    }
    let plan = try params.plan.map { plan throws(RPCError) in try Profile.checkedPlan(plan) }
    return try await change(
      params.accountId, context, AccountMethods.update.name, params, kind: "account.updated"
    ) { profile in
      if let locale { profile.locale = locale }
      if let timeZone { profile.timeZone = timeZone }
      if let name { profile.name = name }
      if let email { profile.email = email }
      if let plan { profile.plan = plan }
    }
  }

  func setAppearance(_ params: AccountSetAppearanceParams, _ context: CallContext) async throws -> Account {
    try await change(
      params.accountId, context, AccountMethods.setAppearance.name, params, kind: "account.appearanceSet"
    ) { $0.appearance = params.appearance }
  }

  /// Changes a profile; nothing is written where nothing differs.
  private func change<P: Encodable & Sendable>(
    _ accountId: String?, _ context: CallContext, _ method: String, _ params: P, kind: String,
    _ edit: @escaping @Sendable (inout Profile) -> Void
  ) async throws -> Account {
    let subject = Subject.account(context.app, try context.accountId(accountId))
    return try await ledger.write(
      subject, context, method: method, params: params, reads: [ProfileRows.select(subject)]
    ) { rows, change in
      guard let row = rows[0].first else { throw Self.notFound }
      let before = ProfileRows.profile(row)
      var after = before
      edit(&after)
      let differences = after.differences(from: before)
      guard !differences.isEmpty else { return before.account(revision: change.leaveUnchanged()) }
      try change.apply(AccountEffect.accountChanged(profile: after))
      if after.locale != before.locale || after.timeZone != before.timeZone { change.payload = Self.payload(after) }
      let entryId = change.record(
        kind, facts: ["changed": .array(differences.map { .string($0) })],
        personal: Self.values(of: differences, in: after))
      return after.account(revision: change.head.seq, entryId: entryId)
    }
  }

  private static func values(of names: [String], in profile: Profile) -> [String: JSONValue] {
    let all: [String: JSONValue] = [
      "name": .string(profile.name), "email": .string(profile.email),
      "plan": profile.plan.map { .string($0) } ?? .null, "appearance": .string(profile.appearance.rawValue),
      "locale": .string(profile.locale), "timeZone": .string(profile.timeZone),
    ]
    return all.filter { names.contains($0.key) }
  }

  private static func payload(_ profile: Profile) -> JSONValue {
    AccountEventPayload(locale: profile.locale, timeZone: profile.timeZone).json
  }

  /// The id asked for, or one made of the idempotency key, so that a repeat finds the account it made, or a new one.
  private func newId(_ named: String?, _ context: CallContext) throws(RPCError) -> String {
    if let named {
      try CallContext.check(named, "accountId")
      return named
    }
    guard let key = context.idempotencyKey else { return Identifier.next(ledger.clock.now()) }
    let scope = "account.create\n\(context.app)\n\(context.principal.identity)\n\(key)"
    return Hex.encode(SHA256.hash(scope).prefix(16))
  }

  static let notFound = RPCError.notFound("account")
}
