// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

extension ConsentRecord {
  /// Applies an act: all of it or, when it throws, nothing.
  ///
  /// Per category the later decision stands and a refusal on a tie, so that decisions that were made offline may arrive
  /// in any order. What is decided online is later than everything received before.
  ///
  /// - Parameter field: where a category is named in the params, for errors.
  /// - Throws: as `DecisionAct.effectiveChoices`; FAILED_PRECONDITION `confirmationRequired` when a yes contradicts an
  ///   earlier opt-out or Global Privacy Control and is not confirmed.
  mutating func apply(
    _ act: DecisionAct, on ground: DecisionGround, field: (String) -> String = { "decisions.\($0)" }
  ) throws(RPCError) -> DecisionOutcome {
    var outcome = DecisionOutcome()
    var missing: Set<ConsentConfirmation> = []
    for (choice, category) in try act.effectiveChoices(ground.situation.regulation, field: field) {
      let prior = self[category.id]
      // What the category is used for now, not what it was when the version was published.
      let uses = ground.policy.live[category.id]?.uses ?? category.uses
      let optOut = standingOptOut(of: category.id, uses, prior, ground)
      var decision = Decision(
        category: category.id, status: choice.isGranted ? .granted : .denied,
        at: Self.moment(act.occurredAt, after: prior, ground.now), version: act.version.number, method: act.method)
      if let optOut, choice.isGranted, act.occurredAt == nil { decision.at = max(decision.at, optOut.at) }
      if act.version.number != ground.policy.live.number { decision.outdated = true }
      let isOvertaken = choice.isGranted && act.occurredAt != nil && optOut.map { decision.at <= $0.at } ?? false
      guard !isOvertaken, Self.stands(decision, against: prior, isOffline: act.occurredAt != nil) else {
        outcome.superseded.append(decision)
        continue
      }
      if choice.isGranted {
        let needed = Self.confirmations(prior, uses, optOut, ground)
        missing.formUnion(needed.subtracting(act.confirmed))
        if needed.contains(.gpcConflict) || Self.gpcWasConfirmed(prior) { decision.gpcConfirmed = true }
      } else {
        let isOptOut = act.isOptOut || ground.situation.isOptOut(of: uses)
        decision.optedOutAt = prior?.optedOutAt ?? (isOptOut ? decision.at : nil)
      }
      outcome.applied.append(decision)
    }
    guard missing.isEmpty else { throw Self.confirmationRequired(missing) }
    for decision in outcome.applied { self[decision.category] = decision }
    outcome.optOut = keepOptOut(act, outcome.applied, on: ground)
    return outcome
  }

  /// Back to undecided, for `categories`. What the person refused or opted out of stays known, so that no default of an
  /// opt-out regulation fills the gap.
  /// - Returns: what changed.
  mutating func reset(
    _ categories: [PolicyVersion.Category], version: Int, occurredAt: Timestamp?, now: Timestamp
  ) -> DecisionOutcome {
    var outcome = DecisionOutcome()
    for category in categories where !category.required {
      guard let prior = self[category.id], prior.isExplicit else { continue }
      var decision = Decision(
        category: category.id, status: .notDetermined, at: Self.moment(occurredAt, after: prior, now),
        version: version, method: .save)
      guard occurredAt == nil || decision.at > prior.at else {
        outcome.superseded.append(decision)
        continue
      }
      decision.optedOutAt = prior.optedOutAt
      decision.refusedBefore = prior.status == .denied ? true : prior.refusedBefore
      self[category.id] = decision
      outcome.applied.append(decision)
    }
    return outcome
  }

  // MARK: Order

  /// When a decision counts as made: not later than its receipt; without a claim, not earlier than what it follows,
  /// even when the clock was set back.
  private static func moment(_ occurredAt: Timestamp?, after prior: Decision?, _ now: Timestamp) -> Int64 {
    if let occurredAt { return min(occurredAt, now).milliseconds }
    return max(now.milliseconds, prior?.at ?? .min)
  }

  /// Whether a decision replaces what is there.
  private static func stands(_ decision: Decision, against prior: Decision?, isOffline: Bool) -> Bool {
    guard let prior, isOffline else { return true }
    if decision.at != prior.at { return decision.at > prior.at }
    return decision.status == .denied || prior.status == .granted
  }

  // MARK: Confirmation

  /// What the person must confirm before a yes.
  private static func confirmations(
    _ prior: Decision?, _ uses: UseSet, _ optOut: StandingOptOut?, _ ground: DecisionGround
  ) -> Set<ConsentConfirmation> {
    var needed: Set<ConsentConfirmation> = []
    let conflicts =
      ground.signals.gpc && ground.situation.honorsGPC && uses.intersects(ground.situation.gpcUses)
      && !gpcWasConfirmed(prior)
    if conflicts { needed.insert(.gpcConflict) }
    // An opt-out that the signal alone wrote is answered by confirming against the signal.
    let isOptedOut = prior?.optedOutAt != nil || optOut != nil
    let bySignalAlone = (prior?.optedOutAt != nil ? prior?.method : optOut?.method) == .gpc
    if isOptedOut, !(conflicts && bySignalAlone) { needed.insert(.optInAfterOptOut) }
    return needed
  }

  /// The standing opt-out that a yes to the category would go against.
  private func standingOptOut(
    of id: String, _ uses: UseSet, _ prior: Decision?, _ ground: DecisionGround
  ) -> StandingOptOut? {
    let index = ground.policy.live.categories.firstIndex { $0.id == id }
    let isCovered = index.flatMap { index in prior.map { ground.policy.isCovered(index, by: $0.version) } } ?? false
    return optOut(of: uses, prior, isCovered: isCovered, ground.situation)
  }

  private static func gpcWasConfirmed(_ prior: Decision?) -> Bool {
    prior?.status == .granted && prior?.gpcConfirmed == true
  }

  private static func confirmationRequired(_ missing: Set<ConsentConfirmation>) -> RPCError {
    let names = ConsentConfirmation.allCases.filter(missing.contains).map(\.rawValue)
    return .failedPrecondition(
      "confirm: this opts in against an earlier opt-out or signal; ask the person, then repeat with "
        + names.joined(separator: ", "),
      reason: "confirmationRequired", field: "confirm",
      details: ["confirm": .array(names.map { .string($0) })])
  }
}

extension Situation {
  /// Whether refusing these uses is, by the regulation, an opt-out.
  func isOptOut(of uses: UseSet) -> Bool {
    regulation.mechanism == .optOut && uses.intersects(regulation.confirmOptInUses)
  }
}
