// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TimeZones

@Suite("Calendar")
struct CalendarTests {
  @Test(
    "counts days and weekdays",
    arguments: [
      (1970, 1, 1, 0, 4), (1969, 12, 31, -1, 3), (2000, 2, 29, 11_016, 2), (2000, 3, 1, 11_017, 3),
      (2024, 1, 3, 19_725, 3), (2026, 11, 1, 20_758, 7), (1900, 2, 28, -25_509, 3), (2400, 2, 29, 157_113, 2),
    ] as [(Int64, Int, Int, Int64, Int)])
  func days(year: Int64, month: Int, day: Int, number: Int64, weekday: Int) {
    let time = LocalTime(year: year, month: month, day: day)
    #expect(time.day == number)
    #expect(time.weekday == weekday)
    #expect(LocalTime.year(ofDay: number) == year)
  }

  @Test("knows the year of its first and last day, four centuries through")
  func years() {
    for year in Int64(1800)...2200 {
      #expect(LocalTime.year(ofDay: LocalTime.day(year: year, month: 1, day: 1)) == year)
      #expect(LocalTime.year(ofDay: LocalTime.day(year: year, month: 12, day: 31)) == year)
    }
  }
}
