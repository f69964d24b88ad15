// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

extension ConsentRecord {
  /// Takes over what a device decided before its owner signed in.
  ///
  /// Per category the newest explicit decision stands, a refusal on a tie. An account that opted out, or took its
  /// decision back later, is not overruled by a device's yes. Of the ages the younger is kept; the region where the
  /// account has none; the device's signals.
  /// - Returns: the decisions taken over, and whether anything changed at all.
  mutating func link(
    _ device: ConsentRecord, as deviceId: String, _ categories: [String]
  ) -> (adopted: [Decision], changed: Bool) {
    let before = self
    var adopted: [Decision] = []
    for theirs in device.decisions where categories.contains(theirs.category) {
      if let decision = Self.adopt(theirs, over: self[theirs.category]), decision != self[theirs.category] {
        self[theirs.category] = decision
        if decision.isExplicit { adopted.append(decision) }
      }
    }
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
