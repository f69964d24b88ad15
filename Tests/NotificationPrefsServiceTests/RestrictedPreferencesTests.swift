// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import SettingsContracts
import Testing

@testable import NotificationPrefsService

/// What two histories of one account's preferences come to.
@Suite struct RestrictedPreferencesTests {
  private static func preferences(
    _ messages: [NotificationChannel]?, digest: NotificationDigest = .weekly, quiet: Bool = false
  ) -> Preferences {
    var preferences = Preferences.standard
    preferences.choices["messages"] = messages.map { Preferences.Choice(on: $0) }
    preferences.digest = digest
    preferences.quietHours.isOn = quiet
    return preferences
  }

  @Test(
    arguments: [
      (nil, nil, nil), (nil, [.push], [.push]), ([.push], nil, [.push]), ([.push, .email], [.email], [.email]),
      ([.push], [], []), ([], [.push], []),
    ] as [([NotificationChannel]?, [NotificationChannel]?, [NotificationChannel]?)])
  func aChannelThatEitherTurnedOffStaysOff(
    _ own: [NotificationChannel]?, _ other: [NotificationChannel]?, _ joined: [NotificationChannel]?
  ) {
    #expect(Self.preferences(own).restricted(by: Self.preferences(other)).choices["messages"]?.on == joined)
  }

  @Test func quietHoursAndAnEndedDigestStay() {
    let joined = Self.preferences(nil, digest: .daily).restricted(by: Self.preferences(nil, digest: .off, quiet: true))
    #expect(joined.digest == .off)
    #expect(joined.quietHours.isOn)
    #expect(Self.preferences(nil, digest: .daily).restricted(by: Self.preferences(nil)).digest == .daily)
  }
}
