// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

extension ConsentRecord {
  /// The opt-out that Global Privacy Control from a known person asks for, where it counts.
  ///
  /// Source: CCPA regulations (11 CCR) § 7025(c)(1): the signal is an opt-out for the consumer, if known. Decisions the
  /// person confirmed against the signal stand, and so does what was refused already.
  /// - Returns: what changed.
  mutating func optOutBySignal(on ground: DecisionGround) -> DecisionOutcome {
    guard ground.signals.gpc, ground.situation.honorsGPC else { return DecisionOutcome() }
    let live = ground.policy.live
    let affected = live.categories.filter { category in
      guard !category.required, category.uses.intersects(ground.situation.gpcUses),
        category.applies(under: ground.situation.regulation)
      else { return false }
      let prior = self[category.id]
      if prior?.status == .granted, prior?.gpcConfirmed == true { return false }
      return prior?.optedOutAt == nil || prior?.status == .granted
    }
    // The first time it is a standing opt-out also where nothing sells or shares yet.
    guard !affected.isEmpty || optOut == nil else { return DecisionOutcome() }
    let act = DecisionAct(
      choices: affected.map { DecisionAct.Choice(category: $0.id, isGranted: false) }, version: live, method: .gpc,
      isOptOut: true)
    // Optional categories of the live version, and refusals only: nothing to throw about.
    return (try? apply(act, on: ground)) ?? DecisionOutcome()
  }
}
