// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import SettingsContracts

extension ConsentRecord {
  /// Joins what two histories of one subject say, after a restore that nobody noticed: `later` went on from a backup and
  /// knew nothing of what this record says since.
  ///
  /// Per category the later decision stands, a refusal on a tie, and an opt-out of either stays known; a yes that was said
  /// without knowing of an opt-out does not lift it. Of the ages the younger is kept, of the signals of a device the newer.
  mutating func join(_ later: ConsentRecord) {
    if var known = StandingOptOut.later(optOut, later.optOut) {
      // What was granted without knowing of the opt-out of the other history does not end it.
      for unaware in [self, later] where unaware.optOut != known {
        let granted = unaware.decisions.filter { $0.status == .granted }.map { $0.at + 1 }
        known.at = max(known.at, granted.max() ?? known.at)
      }
      optOut = known
    }
    for theirs in later.decisions {
      guard let mine = self[theirs.category] else {
        self[theirs.category] = theirs
        continue
      }
      guard theirs != mine, Self.replaces(theirs, mine) else { continue }
      var decision = theirs
      decision.optedOutAt = mine.optedOutAt ?? theirs.optedOutAt
      if mine.refusedBefore == true || (mine.status == .denied && theirs.status == .notDetermined) {
        decision.refusedBefore = true
      }
      self[theirs.category] = decision
    }
    var facts = self.facts
    if later.facts.country != nil {
      facts.country = later.facts.country
      facts.subdivision = later.facts.subdivision
    }
    if later.facts.age != nil, facts.age == nil || later.facts.ageBand.isYounger(than: facts.ageBand) {
      facts.age = later.facts.age
    }
    if facts != self.facts { subject = facts }
    for signals in later.devices ?? [] { _ = keep(signals) }
  }

  private static func replaces(_ theirs: Decision, _ mine: Decision) -> Bool {
    switch theirs.status {
    case .granted: theirs.at > mine.at && (mine.optedOutAt == nil || theirs.optedOutAt != nil)
    case .denied: theirs.at > mine.at || (theirs.at == mine.at && mine.status != .denied)
    case .notDetermined: theirs.at > mine.at
    }
  }
}
