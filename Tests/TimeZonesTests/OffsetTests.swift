// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TimeZones

@Suite("Offset at a moment")
struct OffsetTests {
  @Test(
    "is what the database says",
    arguments: [
      ("UTC", 0, 0),
      ("Asia/Tokyo", 1_704_286_800, 9 * 3600),
      ("Europe/Berlin", 1_711_846_799, 3600),  // the second before summer time of 2024
      ("Europe/Berlin", 1_711_846_800, 7200),
      ("America/New_York", 1_772_953_199, -5 * 3600),  // 2026-03-08
      ("America/New_York", 1_772_953_200, -4 * 3600),
      ("Europe/Dublin", 1_720_000_000, 3600),  // its winter time is the "daylight" one, with a negative saving
      ("Australia/Lord_Howe", 1_720_000_000, 37_800),  // saves half an hour
      ("Asia/Kathmandu", 1_720_000_000, 20_700),
      ("Africa/Monrovia", -1_000_000_000, -2670),  // offsets once had seconds
      ("Europe/Berlin", -5_000_000_000, 3208),  // local mean time, before the first transition
      ("Europe/Berlin", 4_118_000_400, 7200),  // 2100, by the rule
      ("America/New_York", 32_503_680_000, -5 * 3600),  // 3000
    ] as [(String, Int64, Int)])
  func table(name: String, moment: Int64, offset: Int) throws {
    #expect(try #require(TimeZoneDatabase.system.zone(named: name)).offset(at: moment) == offset)
  }

  @Test(
    "agrees with zdump one second before and at every transition until 2100",
    arguments: [
      "Africa/Cairo", "Africa/Casablanca", "America/New_York", "America/Nuuk", "America/Santiago", "America/Sao_Paulo",
      "America/St_Johns", "Antarctica/Troll", "Asia/Gaza", "Asia/Tehran", "Australia/Lord_Howe", "Europe/Berlin",
      "Europe/Dublin", "Europe/London", "Pacific/Apia", "Pacific/Kwajalein", "Pacific/Norfolk",
    ])
  func zdump(name: String) throws {
    let zone = try #require(TimeZoneDatabase.system.zone(named: name))
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    var compared = 0
    // Europe/Berlin  Sun Mar 31 00:59:59 2024 UT = Sun Mar 31 01:59:59 2024 CET isdst=0 gmtoff=3600
    for line in try lines(of: "zdump -v -c 1850,2100 \(name)") {
      let words = line.split(separator: " ")
      guard words.count == 16, let gmtoff = words[15].split(separator: "=").last.flatMap({ Int($0) }),
        let month = months.firstIndex(of: String(words[2])), let day = Int(words[3]), let year = Int64(words[5])
      else { continue }
      let clock = words[4].split(separator: ":").compactMap { Int($0) }
      let moment = LocalTime(
        year: year, month: month + 1, day: day, hour: clock[0], minute: clock[1], second: clock[2]
      ).secondsSinceEpoch
      #expect(zone.offset(at: moment) == gmtoff, "at \(moment)")
      compared += 1
    }
    #expect(compared > 4)
  }

  @Test("agrees with Python's zoneinfo for every zone at many moments")
  func everyZone() throws {
    let script = """
      import zoneinfo, datetime, random
      random.seed(7)
      utc = datetime.timezone.utc
      for name in sorted(zoneinfo.available_timezones()):
        if name in ('localtime', 'posixrules', 'Factory'): continue
        zone = zoneinfo.ZoneInfo(name)
        for _ in range(30):
          t = random.randrange(-3000000000, 6000000000)
          d = datetime.datetime.fromtimestamp(t, utc).astimezone(zone)
          print(name, t, int(d.utcoffset().total_seconds()))
      """
    var names: Set<Substring> = []
    for line in try lines(of: "python3 -c \"\(script)\"") {
      let words = line.split(separator: " ")
      let zone = try #require(TimeZoneDatabase.system.zone(named: String(words[0])), "\(words[0])")
      let moment = try #require(Int64(words[1]))
      #expect(zone.offset(at: moment) == Int(words[2]), "\(words[0]) at \(moment)")
      names.insert(words[0])
    }
    #expect(names.count > 300)
  }
}
