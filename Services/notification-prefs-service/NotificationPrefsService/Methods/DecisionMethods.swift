// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import RPC
internal import SQLStore
internal import ServiceKit
internal import SettingsContracts
internal import TimeZones

/// `notifications.decide` and `notifications.decideMany`.
struct DecisionMethods: Sendable {
  static let limit = 1000

  let ledger: Ledger
  let catalogs: CatalogStore
  let zones: TimeZoneDatabase
  let clock: any WallClock
  let consents: ConsentSource

  func decide(_ params: NotificationDecideParams, _ context: CallContext) async throws -> NotificationDecision {
    try await answers(to: [params], context)[0].get()
  }

  func decideMany(
    _ params: NotificationDecideManyParams, _ context: CallContext
  ) async throws -> NotificationDecideManyResult {
    guard params.decisions.count <= Self.limit else {
      throw RPCError.invalidParams("decisions", "\(params.decisions.count) are more than \(Self.limit)")
    }
    return NotificationDecideManyResult(
      results: try await answers(to: params.decisions, context).map {
        switch $0 {
        case .success(let decision): .init(decision)
        case .failure(let error): .init(error: .init(error))
        }
      })
  }

  private typealias Answer = Result<NotificationDecision, RPCError>

  /// One snapshot for all, then one call to consent-service for those that depend on it.
  private func answers(to questions: [NotificationDecideParams], _ context: CallContext) async throws -> [Answer] {
    let catalog = try await catalogs.current(context.app)
    let states = try await states(of: questions, context.app)
    let rules = questions.map { question in
      Result { () throws(RPCError) in try rule(for: question, catalog, states) }
    }
    var checks: [ConsentCheckParams] = []
    for case (let question, .success(let rule)) in zip(questions, rules) {
      guard let category = rule.neededConsent else { continue }
      checks.append(.init(accountId: question.accountId, deviceId: question.deviceId, category: category))
    }
    let consents = checks.isEmpty ? [:] : await consents.check(checks, context)
    let now = clock.now()
    return zip(questions, rules).map { question, rule in
      rule.flatMap { rule in
        guard let category = rule.neededConsent else {
          return .success(rule.decide(consent: true, now: question.at ?? now))
        }
        let check = ConsentCheckParams(
          accountId: question.accountId, deviceId: question.deviceId, category: category)
        return (consents[check] ?? .failure(ConsentSource.unavailable)).map {
          rule.decide(consent: $0, now: question.at ?? now)
        }
      }
    }
  }

  private func rule(
    for question: NotificationDecideParams, _ catalog: Catalog, _ states: [String: AccountState]
  ) throws(RPCError) -> DeliveryRule {
    try CallContext.check(question.accountId, "accountId")
    if let deviceId = question.deviceId { try CallContext.check(deviceId, "deviceId") }
    let category = try catalog.category(question.category, "category")
    try category.checkOffers(question.channel, "channel")
    guard let state = states[question.accountId], !state.isDeleted else { throw .notFound("account") }
    return DeliveryRule(
      preferences: state.preferences, category: category, channel: question.channel,
      devices: state.devices.filter { question.deviceId == nil || $0.deviceId == question.deviceId },
      zone: zones.zone(named: state.preferences.quietHours.timeZone ?? state.timeZone) ?? .utc)
  }

  private func states(
    of questions: [NotificationDecideParams], _ app: String
  ) async throws -> [String: AccountState] {
    let accountIds = Array(Set(questions.map(\.accountId)))
    let rows = try await ledger.read(accountIds.flatMap { AccountState.statements(.account(app, $0)) })
    var states: [String: AccountState] = [:]
    for (index, accountId) in accountIds.enumerated() {
      let start = index * AccountState.statementCount
      states[accountId] = try AccountState(rows[start..<start + AccountState.statementCount])
    }
    return states
  }
}
