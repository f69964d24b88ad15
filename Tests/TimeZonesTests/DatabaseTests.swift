// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TimeZones

@Suite("Zone names")
struct DatabaseTests {
  @Test(
    "of the database are found", arguments: ["UTC", "Etc/GMT+5", "America/Argentina/Ushuaia", "America/Port-au-Prince"])
  func known(name: String) {
    #expect(TimeZoneDatabase.system.zone(named: name)?.name == name)
  }

  @Test(
    "that are none, lead elsewhere or depend on the machine are not",
    arguments: [
      "", "/", "Europe", "Europe/", "/Europe/Berlin", "Europe//Berlin", "Europe/Berlin/", "europe/nowhere", "Mars/Base",
      "../../etc/passwd", "Europe/../UTC", "./UTC", "zone.tab", "tzdata.zi", "posixrules", "localtime", "right/UTC",
      "posix/UTC", "Factory", "UTC\u{0}", "UTC ", "Europe/Zürich", String(repeating: "A", count: 65), "EST5EDT4,M3.2.0",
    ])
  func unknown(name: String) {
    #expect(TimeZoneDatabase.system.zone(named: name) == nil)
  }

  @Test("that are plausible but name a file that is no zone are not found")
  func notAZone() {
    #expect(TimeZoneDatabase(directory: "/etc").zone(named: "passwd") == nil)
    #expect(TimeZoneDatabase(directory: "/nowhere").zone(named: "UTC") == nil)
  }
}

@Suite("POSIX TZ string")
struct POSIXRuleTests {
  @Test(
    "is refused unless whole",
    arguments: [
      "", "CET", "C-1", "CET-1CEST,", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0",
      "CET-1CEST,J0,J10", "<+3-3", "CET-1CEST,M3.5.0,M10.5.0/3x", "CET-25", "CET-1:60", "CET-1CEST",
    ])
  func refused(text: String) { #expect(POSIXRule(text.utf8) == nil) }

  @Test("counts Julian days without February 29, and zero-based ones with it")
  func days() {
    let julian = POSIXRule.Change(day: .julian(60), second: 0)
    let zeroBased = POSIXRule.Change(day: .zeroBased(59), second: 0)
    #expect(julian.wallTime(year: 2024) == LocalTime(year: 2024, month: 3, day: 1).secondsSinceEpoch)
    #expect(julian.wallTime(year: 2023) == LocalTime(year: 2023, month: 3, day: 1).secondsSinceEpoch)
    #expect(zeroBased.wallTime(year: 2024) == LocalTime(year: 2024, month: 2, day: 29).secondsSinceEpoch)
    #expect(zeroBased.wallTime(year: 2023) == LocalTime(year: 2023, month: 3, day: 1).secondsSinceEpoch)
  }

  @Test("knows daylight time all year")
  func allYear() throws {
    let rule = try #require(POSIXRule("XXX3EDT4,0/0,J365/23".utf8))
    #expect(rule.span(at: 1_700_000_000).offset == -4 * 3600)
    #expect(rule.span(at: 1_720_000_000).offset == -4 * 3600)
  }
}
