// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// What a wall calendar and clock show, in the proleptic Gregorian calendar, without saying where.
public struct LocalTime: Sendable, Hashable, Comparable {
  static let secondsPerDay: Int64 = 86_400

  /// Days since 1970-01-01.
  public var day: Int64
  /// Seconds since midnight by the clock, 0..<86,400.
  public var second: Int

  public init(day: Int64, second: Int) {
    self.day = day
    self.second = second
  }

  /// - Parameter month: 1...12.
  public init(year: Int64, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    self.init(
      day: LocalTime.day(year: year, month: month, day: day), second: hour * 3600 + minute * 60 + second)
  }

  /// - Parameter secondsSinceEpoch: seconds from 1970-01-01T00:00:00 to this time by the same clock.
  init(secondsSinceEpoch: Int64) {
    day = secondsSinceEpoch.flooredDivision(by: LocalTime.secondsPerDay)
    second = Int(secondsSinceEpoch - day * LocalTime.secondsPerDay)
  }

  var secondsSinceEpoch: Int64 { day * LocalTime.secondsPerDay + Int64(second) }

  /// 1 is Monday, 7 is Sunday (ISO 8601).
  public var weekday: Int {
    let sinceMonday = day + 3  // 1970-01-01 was a Thursday
    return Int(sinceMonday - sinceMonday.flooredDivision(by: 7) * 7) + 1
  }

  public static func < (a: LocalTime, b: LocalTime) -> Bool {
    (a.day, a.second) < (b.day, b.second)
  }

  /// Days since 1970-01-01, counted in years that begin in March, so that a leap day comes last.
  static func day(year: Int64, month: Int, day: Int) -> Int64 {
    let marchYear = month > 2 ? year : year - 1
    let era = marchYear.flooredDivision(by: 400)
    let yearOfEra = marchYear - era * 400
    let monthSinceMarch = Int64((month + 9) % 12)
    let dayOfYear = (153 * monthSinceMarch + 2) / 5 + Int64(day) - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// The calendar year of a day since 1970-01-01.
  static func year(ofDay day: Int64) -> Int64 {
    // 400 years are exactly 146,097 days, so the estimate is at most one year off.
    var year = 1970 + (day * 400).flooredDivision(by: 146_097)
    while LocalTime.day(year: year, month: 1, day: 1) > day { year -= 1 }
    while LocalTime.day(year: year + 1, month: 1, day: 1) <= day { year += 1 }
    return year
  }
}

extension Int64 {
  /// Rounds toward negative infinity.
  func flooredDivision(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
