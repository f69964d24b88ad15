// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

extension ConsentRecord {
  /// Takes over what a device decided before its owner signed in.
  ///
  /// Per category the newest explicit decision stands, a refusal on a tie. An account that opted out, or took its
  /// decision back later, is not overruled by a device's yes; a device's opt-out is the account's. Of the ages the younger is kept; the region where the
  /// account has none; the device's signals.
  /// - Returns: the decisions taken over, and whether anything changed at all.
  mutating func link(
    _ device: ConsentRecord, as deviceId: String, on ground: DecisionGround
  ) -> (adopted: [Decision], changed: Bool) {
    let before = self
    var adopted: [Decision] = []
    for theirs in device.decisions {
      guard let index = ground.policy.live.categories.firstIndex(where: { $0.id == theirs.category }) else { continue }
      let mine = self[theirs.category]
      let isCovered = mine.map { ground.policy.isCovered(index, by: $0.version) } ?? false
      let uses = ground.policy.live.categories[index].uses
      if theirs.status == .granted, optOut(of: uses, mine, isCovered: isCovered, ground.situation) != nil { continue }
      if let decision = Self.adopt(theirs, over: mine), decision != mine {
        self[theirs.category] = decision
        if decision.isExplicit { adopted.append(decision) }
      }
    }
    optOut = StandingOptOut.later(optOut, device.optOut)
    var facts = self.facts
    if facts.country == nil {
      facts.country = device.facts.country
      facts.subdivision = device.facts.subdivision
    }
    if device.facts.age != nil, facts.age == nil || device.facts.ageBand.isYounger(than: facts.ageBand) {
      facts.age = device.facts.age
    }
    if facts != self.facts { subject = facts }
    for signals in device.devices ?? [] where signals.device == deviceId { _ = keep(signals) }
    return (adopted, self != before)
  }

  /// What the account's record says after it heard of a device's decision.
  private static func adopt(_ theirs: Decision, over mine: Decision?) -> Decision? {
    guard theirs.isExplicit else {
      // A device that was reset decides nothing, but what it once refused stays known where nothing newer is.
      guard theirs.optedOutAt != nil || theirs.refusedBefore == true else { return nil }
      return mine == nil ? theirs : nil
    }
    var decision = theirs
    decision.method = .link
    guard let mine else { return decision }
    if theirs.status == .granted {
      guard mine.optedOutAt == nil, theirs.at > mine.at else { return nil }
    } else {
      let isNewer = theirs.at > mine.at || (theirs.at == mine.at && mine.status != .denied)
      guard isNewer else { return nil }
      decision.optedOutAt = mine.optedOutAt ?? theirs.optedOutAt
    }
    return decision
  }
}
