// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// What a POSIX `TZ` string says: a fixed offset, or two that take turns every year.
///
/// Source: POSIX.1-2017, section 8.3, `TZ`; RFC 9636, section 3.3.1 for the wider hours.
enum POSIXRule: Sendable, Hashable {
  case fixed(offset: Int)
  case yearly(standard: Int, daylight: Int, start: Change, end: Change)

  /// A day of the year, and the seconds after its midnight, in the time in force before the change.
  struct Change: Sendable, Hashable {
    enum Day: Sendable, Hashable {
      /// `Jn`: 1...365, February 29 is never counted.
      case julian(Int)
      /// `n`: 0...365, February 29 is counted.
      case zeroBased(Int)
      /// `Mm.w.d`: weekday 0 (Sunday)...6 of week 1...5 of the month, 5 being the last.
      case weekday(month: Int, week: Int, weekday: Int)
    }
    var day: Day
    var second: Int

    /// Seconds since the epoch by the clock in force before the change.
    func wallTime(year: Int64) -> Int64 { dayNumber(year: year) * LocalTime.secondsPerDay + Int64(second) }

    private func dayNumber(year: Int64) -> Int64 {
      let newYear = LocalTime.day(year: year, month: 1, day: 1)
      switch day {
      case .julian(let number):
        let isLeap = LocalTime.day(year: year + 1, month: 1, day: 1) - newYear == 366
        return newYear + Int64(number) - (isLeap && number >= 60 ? 0 : 1)
      case .zeroBased(let number): return newYear + Int64(number)
      case .weekday(let month, let week, let weekday):
        let firstOfMonth = LocalTime.day(year: year, month: month, day: 1)
        let firstOfNext =
          month == 12
          ? LocalTime.day(year: year + 1, month: 1, day: 1) : LocalTime.day(year: year, month: month + 1, day: 1)
        let firstWeekday = LocalTime(day: firstOfMonth, second: 0).weekday % 7
        var day = firstOfMonth + Int64((weekday - firstWeekday + 7) % 7) + Int64(week - 1) * 7
        while day >= firstOfNext { day -= 7 }
        return day
      }
    }
  }

  func span(at moment: Int64) -> Span {
    switch self {
    case .fixed(let offset): return Span(offset: offset)
    case .yearly(let standard, let daylight, let start, let end):
      let year = LocalTime.year(ofDay: (moment + Int64(standard)).flooredDivision(by: LocalTime.secondsPerDay))
      var changes: [Transition] = []
      for year in year - 1...year + 1 {
        changes.append(Transition(at: start.wallTime(year: year) - Int64(standard), offset: daylight))
        changes.append(Transition(at: end.wallTime(year: year) - Int64(daylight), offset: standard))
      }
      changes.sort { $0.at < $1.at }
      // Where one change follows another at the same moment ("all year daylight"), the later entry wins.
      let next = changes.firstIndex { $0.at > moment } ?? changes.count
      return Span(
        start: changes[next - 1].at, end: next == changes.count ? nil : changes[next].at,
        offset: changes[next - 1].offset)
    }
  }
}

extension POSIXRule {
  /// Nil unless `text` is a whole `TZ` string.
  init?(_ text: some Collection<UInt8>) {
    var reader = Reader(rest: Array(text)[...])
    guard reader.skipName(), let west = reader.time(limit: 24) else { return nil }
    let standard = -west
    if reader.isAtEnd {
      self = .fixed(offset: standard)
      return
    }
    guard reader.skipName() else { return nil }
    var daylight = standard + 3600
    if !reader.isAtEnd, !reader.nextIs(",") {
      guard let west = reader.time(limit: 24) else { return nil }
      daylight = -west
    }
    guard let start = reader.change(), let end = reader.change(), reader.isAtEnd else { return nil }
    self = .yearly(standard: standard, daylight: daylight, start: start, end: end)
  }

  private struct Reader {
    var rest: ArraySlice<UInt8>
    var isAtEnd: Bool { rest.isEmpty }

    func nextIs(_ character: Unicode.Scalar) -> Bool { rest.first == UInt8(ascii: character) }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
      guard nextIs(character) else { return false }
      rest.removeFirst()
      return true
    }

    /// `CET` or `<+03>`: at least three characters.
    mutating func skipName() -> Bool {
      if skip("<") {
        let name = rest.prefix { $0 != UInt8(ascii: ">") }
        rest = rest.dropFirst(name.count)
        return name.count >= 3 && skip(">")
      }
      let name = rest.prefix { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0 & 0xDF) }
      rest = rest.dropFirst(name.count)
      return name.count >= 3
    }

    mutating func number(in range: ClosedRange<Int>) -> Int? {
      let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      guard 1...3 ~= digits.count else { return nil }
      rest = rest.dropFirst(digits.count)
      let value = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
      return range.contains(value) ? value : nil
    }

    /// `[+|-]hh[:mm[:ss]]`, in seconds.
    mutating func time(limit: Int) -> Int? {
      let sign = skip("-") ? -1 : 1
      if sign == 1 { _ = skip("+") }
      guard let hours = number(in: 0...limit) else { return nil }
      var seconds = hours * 3600
      if skip(":") {
        guard let minutes = number(in: 0...59) else { return nil }
        seconds += minutes * 60
        if skip(":") {
          guard let rest = number(in: 0...59) else { return nil }
          seconds += rest
        }
      }
      return sign * seconds
    }

    mutating func change() -> Change? {
      guard skip(","), let day = day() else { return nil }
      guard skip("/") else { return Change(day: day, second: 2 * 3600) }
      guard let second = time(limit: 167) else { return nil }
      return Change(day: day, second: second)
    }

    private mutating func day() -> Change.Day? {
      if skip("J") { return number(in: 1...365).map { .julian($0) } }
      if skip("M") {
        guard let month = number(in: 1...12), skip("."), let week = number(in: 1...5), skip("."),
          let weekday = number(in: 0...6)
        else { return nil }
        return .weekday(month: month, week: week, weekday: weekday)
      }
      return number(in: 0...365).map { .zeroBased($0) }
    }
  }
}
