// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// A zone of the IANA time zone database: which offset from UTC its clocks have at any moment.
///
/// A value, without I/O; `TimeZoneDatabase` reads it. Moments are whole seconds since 1970-01-01T00:00:00Z.
public struct TimeZone: Sendable, Hashable {
  /// `Europe/Berlin`.
  public let name: String
  let table: TransitionTable

  /// The zone whose clocks show UTC.
  public static let utc = TimeZone(
    name: "UTC", table: TransitionTable(transitions: [], first: 0, rule: .fixed(offset: 0)))

  public static func == (a: TimeZone, b: TimeZone) -> Bool { a.name == b.name && a.table == b.table }
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }

  /// Seconds to add to UTC.
  public func offset(at moment: Int64) -> Int { table.span(at: moment).offset }

  /// What the zone's clocks show.
  public func localTime(at moment: Int64) -> LocalTime {
    LocalTime(secondsSinceEpoch: moment + Int64(offset(at: moment)))
  }

  /// When the zone's clocks show `time`.
  public func occurrences(of time: LocalTime) -> Occurrences {
    let wall = time.secondsSinceEpoch
    // Offsets stay within 26 hours of UTC, so only spans around the wall time taken as UTC can show it.
    let reach: Int64 = 26 * 3600
    var span = table.span(at: wall - reach)
    var found: (first: Int64, last: Int64)?
    var skippedAt: Int64?
    while true {
      let moment = wall - Int64(span.offset)
      if span.contains(moment) { found = (found?.first ?? moment, moment) }
      guard let end = span.end, end <= wall + reach else { break }
      let next = table.span(at: end)
      if skippedAt == nil, wall >= end + Int64(span.offset), wall < end + Int64(next.offset) { skippedAt = end }
      span = next
    }
    if let found { return found.first == found.last ? .once(found.first) : .twice(found.first, found.last) }
    // A wall time that no span shows lies in the gap that some jump forward leaves.
    return .skipped(at: skippedAt ?? wall - Int64(span.offset))
  }

  /// When clocks show a wall time.
  public enum Occurrences: Sendable, Hashable {
    case once(Int64)
    /// Clocks were put back over it: before and after.
    case twice(Int64, Int64)
    /// Clocks were put forward over it, at that moment.
    case skipped(at: Int64)

    /// The rule for a time at which something begins: the first occurrence, or the moment the clocks jump over it.
    public var first: Int64 {
      switch self {
      case .once(let moment), .twice(let moment, _), .skipped(let moment): moment
      }
    }
    /// The rule for a time at which something ends: the last occurrence, or the moment the clocks jump over it.
    public var last: Int64 {
      switch self {
      case .once(let moment), .twice(_, let moment), .skipped(let moment): moment
      }
    }
  }
}
