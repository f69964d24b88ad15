// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import SettingsContracts
import Testing
import TimeZones

@testable import NotificationPrefsService

@Suite("Quiet hours")
struct QuietScheduleTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var zone: String
    var hours: QuietHours
    var from: String
    var to: String
    init(_ zone: String, _ from: String, _ to: String, _ start: String, _ end: String) {
      self.zone = zone
      hours = quiet(from, to)
      self.from = start
      self.to = end
    }
    var testDescription: String { "\(zone) \(from) to \(to)" }
  }

  /// A stretch is quiet from its first second to the one before its end, and not around it.
  @Test(
    "are half-open, by the clocks of the zone, exact over changes of its offset",
    arguments: [
      Case("America/New_York", "22:00", "07:00", "2026-03-08T03:00:00.000Z", "2026-03-08T11:00:00.000Z"),
      Case("America/New_York", "22:00", "07:00", "2026-11-01T02:00:00.000Z", "2026-11-01T12:00:00.000Z"),
      Case("America/New_York", "22:00", "07:00", "2026-07-02T02:00:00.000Z", "2026-07-02T11:00:00.000Z"),
      Case("Asia/Tokyo", "21:00", "23:00", "2024-01-03T12:00:00.000Z", "2024-01-03T14:00:00.000Z"),
      Case("Europe/Berlin", "22:00", "08:00", "2026-01-15T21:00:00.000Z", "2026-01-16T07:00:00.000Z"),
      Case("Asia/Kathmandu", "00:00", "05:45", "2026-01-14T18:15:00.000Z", "2026-01-15T00:00:00.000Z"),
      Case("Australia/Lord_Howe", "22:00", "07:00", "2026-10-03T11:30:00.000Z", "2026-10-03T20:00:00.000Z"),
      // 02:30 does not exist on that day: the jump, at 07:00Z, takes its place.
      Case("America/New_York", "02:30", "06:00", "2026-03-08T07:00:00.000Z", "2026-03-08T10:00:00.000Z"),
      Case("America/New_York", "22:00", "02:30", "2026-03-08T03:00:00.000Z", "2026-03-08T07:00:00.000Z"),
      // 01:30 occurs at 05:30Z and at 06:30Z: quiet begins at the first and ends at the last.
      Case("America/New_York", "01:30", "06:00", "2026-11-01T05:30:00.000Z", "2026-11-01T11:00:00.000Z"),
      Case("America/New_York", "22:00", "01:30", "2026-11-01T02:00:00.000Z", "2026-11-01T06:30:00.000Z"),
      // Samoa had no 30 December 2011: the night of the 29th ends at the jump, where that of the 30th would have begun.
      Case("Pacific/Apia", "22:00", "07:00", "2011-12-30T08:00:00.000Z", "2011-12-30T17:00:00.000Z"),
    ])
  func table(_ example: Case) throws {
    let schedule = try #require(QuietSchedule(example.hours, in: try zone(example.zone)))
    let start = at(example.from).flooredSeconds
    let end = at(example.to).flooredSeconds
    #expect(schedule.end(at: start - 1) == nil)
    #expect(schedule.end(at: start) == end)
    #expect(schedule.end(at: (start + end) / 2) == end)
    #expect(schedule.end(at: end - 1) == end)
    #expect(schedule.end(at: end) == nil)
  }

  @Test("from a time to the same time, or switched off, are never")
  func never() throws {
    #expect(QuietSchedule(quiet("22:00", "22:00"), in: .utc) == nil)
    var off = quiet("22:00", "07:00")
    off.isOn = false
    #expect(QuietSchedule(off, in: .utc) == nil)
  }

  @Test("that the zone jumps over are empty")
  func jumpedOver() throws {
    let schedule = try #require(QuietSchedule(quiet("02:10", "02:50"), in: try zone("America/New_York")))
    for second in stride(
      from: at("2026-03-08T05:00:00.000Z").flooredSeconds, to: at("2026-03-08T09:00:00.000Z").flooredSeconds, by: 60)
    {
      #expect(schedule.end(at: second) == nil)
    }
  }

  @Test(
    "cover every moment whose clock shows a quiet time",
    arguments: ["America/New_York", "Australia/Lord_Howe", "Europe/Dublin", "Asia/Gaza"])
  func everyMinute(name: String) throws {
    let zone = try zone(name)
    for (from, to) in [("22:00", "07:00"), ("01:15", "01:45"), ("00:00", "03:00"), ("23:30", "01:30")] {
      let hours = quiet(from, to)
      let schedule = try #require(QuietSchedule(hours, in: zone))
      for second in stride(
        from: at("2026-01-01T00:00:00.000Z").flooredSeconds, to: at("2027-01-01T00:00:00.000Z").flooredSeconds, by: 3607
      ) {
        let minute = zone.localTime(at: second).second / 60
        let (start, end) = (hours.from.minutesOfDay, hours.to.minutesOfDay)
        let shown = start < end ? start..<end ~= minute : minute >= start || minute < end
        if shown { #expect(schedule.end(at: second) != nil, "\(second)") }
      }
    }
  }
}

@Suite("Digest")
struct DigestScheduleTests {
  @Test(
    "goes out at nine, or when quiet hours end",
    arguments: [
      (NotificationDigest.daily, "Europe/Berlin", nil, "2026-01-15T07:59:59.000Z", "2026-01-15T08:00:00.000Z"),
      (.daily, "Europe/Berlin", nil, "2026-01-15T08:00:00.000Z", "2026-01-16T08:00:00.000Z"),
      (.daily, "Europe/Berlin", nil, "2026-03-28T12:00:00.000Z", "2026-03-29T07:00:00.000Z"),
      (.weekly, "Europe/Berlin", nil, "2026-01-15T08:00:00.000Z", "2026-01-19T08:00:00.000Z"),
      (.weekly, "Europe/Berlin", nil, "2026-01-19T07:00:00.000Z", "2026-01-19T08:00:00.000Z"),
      (.weekly, "Europe/Berlin", nil, "2026-01-19T08:00:00.000Z", "2026-01-26T08:00:00.000Z"),
      // Monday in Tokyo while it is Sunday in UTC, and the other way round in Honolulu.
      (.weekly, "Asia/Tokyo", nil, "2026-01-18T23:00:00.000Z", "2026-01-19T00:00:00.000Z"),
      (.weekly, "Pacific/Honolulu", nil, "2026-01-19T18:00:00.000Z", "2026-01-19T19:00:00.000Z"),
      // Quiet until ten: an hour later, and still this week's while it has not gone out.
      (.daily, "UTC", quiet("22:00", "10:00"), "2026-01-15T08:00:00.000Z", "2026-01-15T10:00:00.000Z"),
      (.daily, "UTC", quiet("22:00", "10:00"), "2026-01-15T09:30:00.000Z", "2026-01-15T10:00:00.000Z"),
      (.daily, "UTC", quiet("22:00", "10:00"), "2026-01-15T10:00:00.000Z", "2026-01-16T10:00:00.000Z"),
      (.weekly, "UTC", quiet("09:00", "09:30"), "2026-01-19T09:10:00.000Z", "2026-01-19T09:30:00.000Z"),
      (.daily, "UTC", quiet("10:00", "09:30"), "2026-01-15T09:10:00.000Z", "2026-01-15T09:30:00.000Z"),
      (.off, "UTC", nil, "2026-01-15T09:10:00.000Z", nil),
    ] as [(NotificationDigest, String, QuietHours?, String, String?)])
  func table(digest: NotificationDigest, name: String, hours: QuietHours?, now: String, expected: String?) throws {
    let zone = try zone(name)
    let schedule = DigestSchedule(digest: digest, zone: zone, quiet: hours.flatMap { QuietSchedule($0, in: zone) })
    #expect(schedule.next(after: at(now).flooredSeconds) == expected.map { at($0).flooredSeconds })
  }
}
