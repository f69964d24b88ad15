// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// The subject's no to everything that sells or shares, whatever category does it, also one that comes to be later. It
/// ends for a category with a yes that was given after it, to all that the category is used for.
///
/// Source: Cal. Civ. Code § 1798.120(a), (d): a direction not to sell or share is about the business, not about a list of
/// purposes, and stands until consent is given anew.
struct StandingOptOut: Codable, Sendable, Hashable {
  /// Milliseconds since 1970.
  var at: Int64
  /// How it came about: `gpc` when nothing but the signal asked for it.
  var method: ConsentMethod

  /// The one that counts of two: the later, and of two of a moment the person's own.
  static func later(_ one: StandingOptOut?, _ other: StandingOptOut?) -> StandingOptOut? {
    guard let one, let other else { return one ?? other }
    if one.at != other.at { return one.at > other.at ? one : other }
    return one.method == .gpc ? other : one
  }
}

extension StandingOptOut: JSONObjectEncodable {
  func encode(into object: JSONObject) {
    object.put("at", at)
    object.put("method", method.rawValue)
  }
}

extension ConsentRecord {
  /// The opt-out that keeps a category from being processed, or nil where there is none or a yes has ended it.
  /// - Parameters:
  ///   - uses: of the category, now.
  ///   - isCovered: the decision, should it be a yes, is one to all these uses.
  func optOut(
    of uses: UseSet, _ decision: Decision?, isCovered: @autoclosure () -> Bool, _ situation: Situation
  ) -> StandingOptOut? {
    guard let optOut, uses.intersects(situation.optOutUses) else { return nil }
    guard let decision, decision.status == .granted, decision.outdated != true, isCovered() else { return optOut }
    return decision.at >= optOut.at || decision.gpcConfirmed == true ? nil : optOut
  }

  /// The record with the standing opt-out that its decisions amount to: whoever opted out of all that sold or shared in
  /// some version said no to selling and sharing. Records that were stored before opt-outs were kept as such say it like
  /// this alone.
  func withStandingOptOut(_ policy: PolicyHistory, _ optOutUses: UseSet) -> ConsentRecord {
    guard optOut == nil, decisions.contains(where: { $0.optedOutAt != nil }) else { return self }
    for version in Set(decisions.filter { $0.optedOutAt != nil }.map(\.version)) {
      let sold = (policy[version]?.categories ?? []).filter { !$0.required && $0.uses.intersects(optOutUses) }
      let optOuts = sold.map { category in
        self[category.id].flatMap { decision in
          decision.optedOutAt.map { StandingOptOut(at: $0, method: decision.method) }
        }
      }
      guard !optOuts.isEmpty, !optOuts.contains(nil) else { continue }
      var record = self
      record.optOut = optOuts.reduce(nil, StandingOptOut.later)
      return record
    }
    return self
  }

  /// Keeps an act's opt-out for what may come: one that was asked for, and, where opting out is what the regulation
  /// gives, the refusal of all there is to opt out of.
  /// - Returns: the opt-out, if it is news.
  mutating func keepOptOut(_ act: DecisionAct, _ applied: [Decision], on ground: DecisionGround) -> StandingOptOut? {
    guard act.isOptOut || amountsToOptOut(applied, on: ground) else { return nil }
    let claimed = act.occurredAt.map { min($0, ground.now).milliseconds } ?? ground.now.milliseconds
    let stated = StandingOptOut(
      at: applied.map(\.at).max().map { max($0, claimed) } ?? claimed, method: act.method)
    // The signal asks again with every call; what is known already says as much.
    if act.method == .gpc, optOut != nil { return nil }
    guard let kept = StandingOptOut.later(optOut, stated), kept != optOut else { return nil }
    optOut = kept
    return kept
  }

  private func amountsToOptOut(_ applied: [Decision], on ground: DecisionGround) -> Bool {
    guard ground.situation.regulation.mechanism == .optOut, applied.contains(where: { $0.status == .denied }) else {
      return false
    }
    let optional = ground.policy.live.optional(under: ground.situation.regulation)
    let sold = optional.filter { $0.uses.intersects(ground.situation.optOutUses) }
    return (sold.isEmpty ? optional : sold).allSatisfy { self[$0.id]?.status == .denied }
  }
}
