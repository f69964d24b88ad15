// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

extension Timestamp: CustomStringConvertible {
  /// Nil unless `text` is ISO 8601 in UTC: a date, `T`, a time with seconds, up to nine digits of fraction or none
  /// (what is finer than a millisecond is dropped), `Z` or `+00:00`. Years 0000 to 9999; no leap seconds.
  public init?(_ text: String) {
    var text = text
    guard let timestamp = text.withUTF8({ Timestamp(utf8: $0) }) else { return nil }
    self = timestamp
  }

  /// `2026-01-02T03:04:05.678Z`. Moments outside the years 0000 to 9999 are shown as the nearest one inside.
  public var description: String {
    String(unsafeUninitializedCapacity: Self.textLength) {
      write(to: $0.baseAddress.unsafelyUnwrapped)
      return Self.textLength
    }
  }

  static let textLength = 24
  static let expectation = "must be a time in UTC such as 2026-01-02T03:04:05.678Z"

  init?(utf8 text: UnsafeBufferPointer<UInt8>) {
    var fields = TextFields(text: text)
    let year = fields.digits(4)
    fields.skip("-")
    let month = fields.digits(2)
    fields.skip("-")
    let day = fields.digits(2)
    fields.skip("T")
    let hour = fields.digits(2)
    fields.skip(":")
    let minute = fields.digits(2)
    fields.skip(":")
    let second = fields.digits(2)
    let fraction = fields.milliseconds()
    fields.skipUTC()
    guard fields.isWhole, 1...12 ~= month, hour < 24, minute < 60, second < 60,
      1...Self.dayCount(year, month) ~= day
    else { return nil }
    let days = Self.daysSinceEpoch(year, month, day)
    milliseconds = Int64(days) * 86_400_000 + Int64((hour * 60 + minute) * 60 + second) * 1000 + Int64(fraction)
  }

  /// Writes `textLength` bytes.
  func write(to text: UnsafeMutablePointer<UInt8>) {
    let clamped = min(max(milliseconds, -62_167_219_200_000), 253_402_300_799_999)
    var days = Int(clamped / 86_400_000)
    var rest = Int(clamped % 86_400_000)
    if rest < 0 {
      rest += 86_400_000
      days -= 1
    }
    let (year, month, day) = Self.date(daysSinceEpoch: days)
    func put(_ at: Int, _ count: Int, _ value: Int, _ separator: Unicode.Scalar) {
      var value = value
      for i in stride(from: at + count - 1, through: at, by: -1) {
        text[i] = UInt8(truncatingIfNeeded: 48 + value % 10)
        value /= 10
      }
      text[at + count] = UInt8(ascii: separator)
    }
    put(0, 4, year, "-")
    put(5, 2, month, "-")
    put(8, 2, day, "T")
    put(11, 2, rest / 3_600_000, ":")
    put(14, 2, rest / 60_000 % 60, ":")
    put(17, 2, rest / 1000 % 60, ".")
    put(20, 3, rest % 1000, "Z")
  }
}

/// The proleptic Gregorian calendar in days since 1970-01-01. Years begin in March, so that the leap day is the last of
/// its year; 400 such years (an era) have 146,097 days.
extension Timestamp {
  private static func dayCount(_ year: Int, _ month: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func daysSinceEpoch(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func date(daysSinceEpoch: Int) -> (year: Int, month: Int, day: Int) {
    let days = daysSinceEpoch + 719_468
    let era = (days >= 0 ? days : days - 146_096) / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }
}

/// Fixed-width fields of a text, read one after the other; after the first mismatch `isWhole` is false.
private struct TextFields {
  let text: UnsafeBufferPointer<UInt8>
  private var at = 0
  private var matches = true

  init(text: UnsafeBufferPointer<UInt8>) { self.text = text }

  /// Everything matched and nothing is left.
  var isWhole: Bool { matches && at == text.count }

  private var next: UInt8 { at < text.count ? text[at] : 0 }

  mutating func skip(_ scalar: Unicode.Scalar) {
    if next == UInt8(ascii: scalar) { at += 1 } else { matches = false }
  }

  mutating func digits(_ count: Int) -> Int {
    var value = 0
    for _ in 0..<count {
      let digit = next &- UInt8(ascii: "0")
      guard digit < 10 else {
        matches = false
        return 0
      }
      value = value * 10 + Int(digit)
      at += 1
    }
    return value
  }

  /// A fraction of one to nine digits, or none.
  mutating func milliseconds() -> Int {
    guard next == UInt8(ascii: ".") else { return 0 }
    at += 1
    var value = 0
    var count = 0
    while next &- UInt8(ascii: "0") < 10 {
      if count < 3 { value = value * 10 + Int(next - UInt8(ascii: "0")) }
      count += 1
      at += 1
    }
    if !(1...9 ~= count) { matches = false }
    return count == 1 ? value * 100 : count == 2 ? value * 10 : value
  }

  mutating func skipUTC() {
    if next == UInt8(ascii: "Z") { return at += 1 }
    for scalar in "+00:00".unicodeScalars { skip(scalar) }
  }
}
