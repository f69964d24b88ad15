// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import SettingsContracts
internal import TimeZones

/// When a digest goes out: at 9:00 by the person's clocks, every day or every Monday, or at the end of the quiet hours
/// it falls into.
struct DigestSchedule: Sendable, Hashable {
  static let hour = 9
  /// Monday.
  static let weekday = 1

  let digest: NotificationDigest
  let zone: TimeZone
  let quiet: QuietSchedule?

  /// The next one after `moment`, which is seconds since 1970; nil when there is none.
  func next(after moment: Int64) -> Int64? {
    let daysBetween: Int64
    switch digest {
    case .off: return nil
    case .daily: daysBetween = 1
    case .weekly: daysBetween = 7
    }
    // From the one before, since quiet hours may have moved it past `moment`.
    var day = zone.localTime(at: moment).day - daysBetween
    if digest == .weekly { day -= Int64(LocalTime(day: day, second: 0).weekday - Self.weekday) }
    while true {
      let planned = zone.occurrences(of: LocalTime(day: day, second: Self.hour * 3600)).first
      let actual = quiet?.end(at: planned) ?? planned
      if actual > moment { return actual }
      day += daysBetween
    }
  }
}
