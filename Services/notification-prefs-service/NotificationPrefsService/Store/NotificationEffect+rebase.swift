// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import SQLStore
internal import SettingsContracts

extension NotificationEffect {
  /// Preferences are joined so that nothing is sent which either history turned off.
  static let rebase = Rebase(
    reads: { subject in
      guard let accountId = subject.accountId else { return [] }
      return [
        SQLStatement(
          "SELECT preferences FROM notification_preferences WHERE app = $1 AND account_id = $2", .text(subject.app),
          .text(accountId))
      ]
    },
    effects: { events, rows in
      guard let row = rows.first?.first else { return events.map(\.ownEffects) }
      let others = try JSON.decode(Preferences.self, from: row.text(0))
      return try events.map { event in
        let joined = try JSON.decode([NotificationEffect].self, from: event.ownEffects.bytes).map { effect in
          guard case .preferences(let chosen) = effect else { return effect }
          return .preferences(chosen: chosen.restricted(by: others))
        }
        return RawJSON(try JSON.encode(joined))
      }
    })
}

extension Preferences {
  /// These, less what `other` has off.
  func restricted(by other: Preferences) -> Preferences {
    var joined = self
    for (category, choice) in other.choices {
      guard var mine = joined.choices[category] else {
        joined.choices[category] = choice
        continue
      }
      mine.on = mine.on.filter(choice.on.contains)
      mine.remembered = mine.remembered ?? choice.remembered
      joined.choices[category] = mine
    }
    if other.quietHours.isOn, !joined.quietHours.isOn { joined.quietHours = other.quietHours }
    if other.digest == .off { joined.digest = .off }
    return joined
  }
}
