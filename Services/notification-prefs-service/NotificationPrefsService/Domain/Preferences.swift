// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import SettingsContracts

/// What a person chose. Categories without a choice follow the catalog's defaults.
struct Preferences: Codable, Sendable, Hashable {
  struct Choice: Codable, Sendable, Hashable {
    /// The channels that are on, in display order.
    var on: [NotificationChannel]
    /// What was on when the category was turned off as a whole; nil when it was not.
    var remembered: [NotificationChannel]?
  }

  /// By category.
  var choices: [String: Choice]
  /// Without a zone they follow the account's.
  var quietHours: QuietHours
  var digest: NotificationDigest

  static let standard = Preferences(
    choices: [:],
    quietHours: QuietHours(isOn: false, from: TimeOfDay(hour: 22, minute: 0), to: TimeOfDay(hour: 7, minute: 0)),
    digest: .weekly)

  /// The channels of a category that are on. What the app no longer offers is not; what is critical never is off.
  func on(_ category: Catalog.Category) -> [NotificationChannel] {
    guard let choice = choices[category.id] else { return category.defaults }
    let on = category.offered(choice.on)
    return on.isEmpty && category.isCritical ? category.defaults : on
  }

  /// Whether the person's choice decides, and not the catalog.
  func isChosen(_ category: Catalog.Category) -> Bool {
    guard let choice = choices[category.id] else { return false }
    return !(category.isCritical && category.offered(choice.on).isEmpty)
  }

  /// Turns a category off as a whole and remembers what was on, or turns it on again as it was; where nothing is
  /// remembered the first channel offered goes on.
  mutating func toggle(_ category: Catalog.Category, _ isOn: Bool) {
    let current = on(category)
    guard isOn != !current.isEmpty else { return }
    if isOn {
      let remembered = category.offered(choices[category.id]?.remembered ?? [])
      choices[category.id] = Choice(on: remembered.isEmpty ? [category.channels[0]] : remembered)
    } else {
      choices[category.id] = Choice(on: [], remembered: current)
    }
  }

  /// Sets exactly these channels. A memory lasts until something is on again.
  mutating func set(_ category: Catalog.Category, _ on: [NotificationChannel]) {
    let on = category.offered(on)
    choices[category.id] = Choice(on: on, remembered: on.isEmpty ? choices[category.id]?.remembered : nil)
  }
}
