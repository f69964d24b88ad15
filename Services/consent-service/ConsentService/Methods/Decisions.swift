// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC
internal import SettingsContracts

/// `consent.decide` and its short forms: `grantAll`, `denyAll`, `withdraw`, `reset`, `optOut`.
struct Decisions: Sendable {
  let records: RecordStore

  func register(on router: inout MethodRouter) {
    router.on(ConsentMethods.decide) { params, context in try await decide(params, context) }
    router.on(ConsentMethods.grantAll) { params, context in try await grantAll(params, context) }
    router.on(ConsentMethods.denyAll) { params, context in try await denyAll(params, context) }
    router.on(ConsentMethods.withdraw) { params, context in try await withdraw(params, context) }
    router.on(ConsentMethods.reset) { params, context in try await reset(params, context) }
    router.on(ConsentMethods.optOut) { params, context in try await optOut(params, context) }
  }

  private func decide(_ params: ConsentDecideParams, _ context: CallContext) async throws -> ConsentState {
    guard (1...50).contains(params.decisions.count) else {
      throw RPCError.invalidParams("decisions", "\(params.decisions.count) decisions; 1 to 50 are allowed")
    }
    let request = DecisionRequest(
      accountId: params.accountId, deviceId: params.deviceId, policyVersion: params.policyVersion,
      context: params.context, decisionId: params.decisionId, occurredAt: params.occurredAt, confirm: params.confirm)
    let choices = params.decisions.sorted { $0.key < $1.key }.map {
      DecisionAct.Choice(category: $0.key, isGranted: $0.value)
    }
    let method: ConsentMethod = params.method == .save ? .save : .toggle
    return try await record(request, context, ConsentMethods.decide.name, params) { _, version in
      DecisionAct(choices: choices, version: version, method: method)
    }
  }

  private func grantAll(_ params: ConsentGrantAllParams, _ context: CallContext) async throws -> ConsentState {
    let request = DecisionRequest(
      accountId: params.accountId, deviceId: params.deviceId, policyVersion: params.policyVersion,
      context: params.context, decisionId: params.decisionId, occurredAt: params.occurredAt, confirm: params.confirm)
    return try await record(request, context, ConsentMethods.grantAll.name, params) { edit, version in
      DecisionAct(
        choices: version.optional(under: edit.situation.regulation).map { .init(category: $0.id, isGranted: true) },
        version: version, method: .acceptAll)
    }
  }

  private func denyAll(_ params: ConsentRefuseParams, _ context: CallContext) async throws -> ConsentState {
    try await record(DecisionRequest(params), context, ConsentMethods.denyAll.name, params) { edit, version in
      DecisionAct(
        choices: version.optional(under: edit.situation.regulation).map { .init(category: $0.id, isGranted: false) },
        version: version, method: .rejectAll)
    }
  }

  private func withdraw(_ params: ConsentWithdrawParams, _ context: CallContext) async throws -> ConsentState {
    let request = try DecisionRequest(params)
    return try await record(
      request, context, ConsentMethods.withdraw.name, params, kind: "consent.withdrawn",
      field: { _ in "categories" }
    ) { edit, version in
      let ids = params.categories ?? version.optional(under: edit.situation.regulation).map(\.id)
      return DecisionAct(
        choices: ids.map { .init(category: $0, isGranted: false) }, version: version, method: .save)
    }
  }

  private func optOut(_ params: ConsentRefuseParams, _ context: CallContext) async throws -> ConsentState {
    try await record(
      DecisionRequest(params), context, ConsentMethods.optOut.name, params, kind: "consent.optedOut"
    ) { edit, version in
      let sold = version.optional(under: edit.situation.regulation).filter { $0.uses.intersects(edit.optOutUses) }
      return DecisionAct(
        choices: sold.map { .init(category: $0.id, isGranted: false) }, version: version, method: .save,
        isOptOut: true)
    }
  }

  private func reset(_ params: ConsentWithdrawParams, _ context: CallContext) async throws -> ConsentState {
    let request = try DecisionRequest(params)
    return try await perform(request, context, ConsentMethods.reset.name, params) { edit, version, evidence in
      let act = DecisionAct(
        choices: (params.categories ?? []).map { .init(category: $0, isGranted: false) }, version: version,
        method: .save)
      let named = try act.effectiveChoices(edit.situation.regulation) { _ in "categories" }.map(\.category)
      let outcome = edit.record.reset(
        params.categories == nil ? version.categories : named, version: version.number,
        occurredAt: request.occurredAt, now: edit.now)
      edit.note(outcome, as: "consent.reset", evidence)
    }
  }

  /// Records an act.
  /// - Parameter act: what is decided, from the record as it is and the version the person saw.
  private func record<P: Encodable & Sendable>(
    _ request: DecisionRequest, _ context: CallContext, _ method: String, _ params: P,
    kind: String = "consent.decided", field: @escaping @Sendable (String) -> String = { "decisions.\($0)" },
    _ act: @escaping @Sendable (RecordEdit, PolicyVersion) -> DecisionAct
  ) async throws -> ConsentState {
    let isAgent = context.principal.kind == .key
    return try await perform(request, context, method, params) { edit, version, evidence in
      var act = act(edit, version)
      if isAgent { act.method = .agent }
      act.occurredAt = request.occurredAt
      act.confirmed = request.confirm ?? []
      let outcome = try edit.record.apply(act, on: edit.ground, field: field)
      edit.note(outcome, as: kind, evidence)
    }
  }

  private func perform<P: Encodable & Sendable>(
    _ request: DecisionRequest, _ context: CallContext, _ method: String, _ params: P,
    _ change: @escaping @Sendable (inout RecordEdit, PolicyVersion, Evidence) throws -> Void
  ) async throws -> ConsentState {
    let addressee = try Addressee(context, accountId: request.accountId, deviceId: request.deviceId)
    try request.context?.validate()
    let named = try request.named(method, params)
    let evidence = Evidence(context: request.context, confirmed: request.confirm ?? [])
    return try await records.change(
      addressee, context, method: method, params: params, named: named, locale: context.locale
    ) { edit, _ in
      let number = request.policyVersion ?? edit.policy.live.number
      guard let version = edit.policy[number] else {
        throw RPCError.invalidParams(
          "policyVersion", "there is no version \(number); the live one is \(edit.policy.live.number)")
      }
      try change(&edit, version, evidence)
    }
  }
}

/// What all decisions have in common on the wire.
struct DecisionRequest: Sendable {
  var accountId: String?
  var deviceId: String?
  var policyVersion: Int?
  var context: ConsentContext?
  var decisionId: String?
  var occurredAt: Timestamp?
  var confirm: [ConsentConfirmation]?

  /// - Throws: -32602 unless `decisionId` is a UUID.
  func named<P: Encodable>(_ method: String, _ params: P) throws -> NamedDecision? {
    guard let decisionId else { return nil }
    // Whoever sends a decision again may have a new app version and may have confirmed since.
    var asked = try JSON.decode(JSONValue.self, from: JSON.encode(params)).objectValue ?? [:]
    for name in ["context", "confirm", "decisionId", "accountId", "deviceId"] { asked[name] = nil }
    asked["call"] = .string(method)
    return try NamedDecision(decisionId, asked: .object(asked))
  }
}

extension DecisionRequest {
  init(_ params: ConsentRefuseParams) {
    self.init(
      accountId: params.accountId, deviceId: params.deviceId, policyVersion: params.policyVersion,
      context: params.context, decisionId: params.decisionId, occurredAt: params.occurredAt)
  }

  /// - Throws: -32602 when categories are named, but none.
  init(_ params: ConsentWithdrawParams) throws(RPCError) {
    self.init(
      accountId: params.accountId, deviceId: params.deviceId, policyVersion: params.policyVersion,
      context: params.context, decisionId: params.decisionId, occurredAt: params.occurredAt)
    guard let categories = params.categories else { return }
    guard (1...50).contains(categories.count) else {
      throw .invalidParams("categories", "\(categories.count) categories; 1 to 50 are allowed")
    }
    guard Set(categories).count == categories.count else {
      throw .invalidParams("categories", "a category is there twice")
    }
  }
}

extension PolicyVersion {
  /// The categories a person decides on.
  func optional(under regulation: Regulation) -> [Category] {
    categories.filter { !$0.required && $0.applies(under: regulation) }
  }
}
