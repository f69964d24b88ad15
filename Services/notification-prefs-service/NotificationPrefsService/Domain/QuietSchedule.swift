// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import SettingsContracts
internal import TimeZones

/// Quiet hours in a zone: every day from `from` up to but not including `to`, by the clocks there.
///
/// Where a wall time occurs twice, quiet begins at its first and ends at its last occurrence, so that nothing is
/// delivered while the clock shows a quiet time; a wall time that is skipped stands for the moment of the jump.
struct QuietSchedule: Sendable, Hashable {
  let from: TimeOfDay
  let to: TimeOfDay
  let zone: TimeZone

  /// Nil when nothing is ever quiet.
  init?(_ hours: QuietHours, in zone: TimeZone) {
    guard hours.isOn, hours.from != hours.to else { return nil }
    from = hours.from
    to = hours.to
    self.zone = zone
  }

  /// When the quiet time ends in which `moment` lies; nil when it lies in none. Quiet times that meet are one.
  /// - Parameter moment: seconds since 1970.
  func end(at moment: Int64) -> Int64? {
    var last: Int64?
    while let end = end(ofStretchAt: last ?? moment), end > last ?? moment { last = end }
    return last
  }

  private func end(ofStretchAt moment: Int64) -> Int64? {
    let today = zone.localTime(at: moment).day
    let runsOverMidnight = to.minutesOfDay < from.minutesOfDay
    // Two days back, for a zone that skipped a day.
    for day in today - 2...today + 1 {
      let start = zone.occurrences(of: LocalTime(day: day, second: from.minutesOfDay * 60)).first
      guard start <= moment else { continue }
      let lastDay = runsOverMidnight ? day + 1 : day
      let end = zone.occurrences(of: LocalTime(day: lastDay, second: to.minutesOfDay * 60)).last
      if moment < end { return end }
    }
    return nil
  }
}
