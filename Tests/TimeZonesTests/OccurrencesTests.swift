// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TimeZones

@Suite("Occurrences of a wall time")
struct OccurrencesTests {
  private static func utc(_ year: Int64, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int = 0) -> Int64 {
    LocalTime(year: year, month: month, day: day, hour: hour, minute: minute).secondsSinceEpoch
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var zone: String
    var time: LocalTime
    var expected: TimeZone.Occurrences
    var testDescription: String { "\(zone) day \(time.day) second \(time.second)" }
  }

  @Test(
    "are one, two, or none at a jump",
    arguments: [
      Case(
        zone: "Europe/Berlin", time: LocalTime(year: 2026, month: 7, day: 1, hour: 12),
        expected: .once(utc(2026, 7, 1, 10))),
      Case(
        zone: "America/New_York", time: LocalTime(year: 2026, month: 3, day: 7, hour: 22),
        expected: .once(utc(2026, 3, 8, 3))),
      Case(
        zone: "America/New_York", time: LocalTime(year: 2026, month: 3, day: 8, hour: 7),
        expected: .once(utc(2026, 3, 8, 11))),
      Case(
        zone: "America/New_York", time: LocalTime(year: 2026, month: 3, day: 8, hour: 2, minute: 30),
        expected: .skipped(at: utc(2026, 3, 8, 7))),
      Case(
        zone: "America/New_York", time: LocalTime(year: 2026, month: 11, day: 1, hour: 1, minute: 30),
        expected: .twice(utc(2026, 11, 1, 5, 30), utc(2026, 11, 1, 6, 30))),
      Case(
        zone: "Australia/Lord_Howe", time: LocalTime(year: 2026, month: 10, day: 4, hour: 2, minute: 15),
        expected: .skipped(at: utc(2026, 10, 3, 15, 30))),
      Case(  // a whole day that Samoa never had
        zone: "Pacific/Apia", time: LocalTime(year: 2011, month: 12, day: 30, hour: 12),
        expected: .skipped(at: utc(2011, 12, 30, 10))),
      Case(
        zone: "Pacific/Apia", time: LocalTime(year: 2011, month: 12, day: 31),
        expected: .once(utc(2011, 12, 30, 10))),
      Case(  // a day that Kwajalein skipped
        zone: "Pacific/Kwajalein", time: LocalTime(year: 1993, month: 8, day: 21, hour: 6),
        expected: .skipped(at: utc(1993, 8, 21, 12))),
      Case(  // put back by a whole day when it was sold
        zone: "America/Juneau", time: LocalTime(year: 1867, month: 10, day: 18, hour: 16),
        expected: .twice(utc(1867, 10, 18, 0, 57) + 41, utc(1867, 10, 19, 0, 57) + 41)),
    ])
  func table(_ example: Case) throws {
    let zone = try #require(TimeZoneDatabase.system.zone(named: example.zone))
    #expect(zone.occurrences(of: example.time) == example.expected)
  }

  @Test(
    "of what the clocks show at a moment include that moment",
    arguments: ["America/New_York", "Asia/Gaza", "Pacific/Apia"])
  func roundTrip(name: String) throws {
    let zone = try #require(TimeZoneDatabase.system.zone(named: name))
    for step in Int64(0)..<20_000 {
      let moment = 1_200_000_000 + step * 100_003
      let found = zone.occurrences(of: zone.localTime(at: moment))
      #expect(found.first == moment || found.last == moment)
    }
  }

  @Test("begin at the first and end at the last, and at the jump when there is none")
  func rule() {
    #expect(TimeZone.Occurrences.twice(5, 9).first == 5)
    #expect(TimeZone.Occurrences.twice(5, 9).last == 9)
    #expect(TimeZone.Occurrences.skipped(at: 7).first == 7)
    #expect(TimeZone.Occurrences.skipped(at: 7).last == 7)
  }
}
