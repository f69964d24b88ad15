// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Deadlines of numbered things, to the millisecond: setting and removing are constant time.
///
/// A wheel of 4,096 buckets of one millisecond, each a linked list; a deadline further away than one revolution stays in
/// its bucket for as many as it needs.
struct TimerWheel {
  private static let buckets = 4_096
  private static let none: Int32 = -1

  private struct Entry {
    var deadline: Int64 = 0
    var next = TimerWheel.none
    var previous = TimerWheel.none
    /// Which list it is in; `none`: not set.
    var bucket = TimerWheel.none
  }
  private var entries: [Entry] = []
  private var heads = [Int32](repeating: TimerWheel.none, count: TimerWheel.buckets)
  /// One bit for each bucket that is not empty.
  private var occupied = [UInt64](repeating: 0, count: TimerWheel.buckets / 64)
  /// Everything before it has been looked at.
  private var current: Int64

  /// - Parameter now: milliseconds, of any clock that does not go back.
  init(now: Int64) { current = now }

  /// - Parameter id: small numbers, used again.
  mutating func set(_ id: Int, at deadline: Int64) {
    while entries.count <= id { entries.append(Entry()) }
    remove(id)
    // What is past already is found at the next look.
    let bucket = TimerWheel.bucket(max(deadline, current))
    let head = heads[bucket]
    entries[id] = Entry(deadline: deadline, next: head, bucket: Int32(bucket))
    if head != TimerWheel.none { entries[Int(head)].previous = Int32(id) }
    heads[bucket] = Int32(id)
    occupied[bucket / 64] |= 1 << UInt64(bucket % 64)
  }

  mutating func remove(_ id: Int) {
    guard id < entries.count, entries[id].bucket != TimerWheel.none else { return }
    let entry = entries[id]
    entries[id].bucket = TimerWheel.none
    if entry.next != TimerWheel.none { entries[Int(entry.next)].previous = entry.previous }
    if entry.previous != TimerWheel.none {
      entries[Int(entry.previous)].next = entry.next
      return
    }
    let bucket = Int(entry.bucket)
    heads[bucket] = entry.next
    if entry.next == TimerWheel.none { occupied[bucket / 64] &= ~(1 << UInt64(bucket % 64)) }
  }

  /// The ids whose deadlines are at `now` or before it; they are no longer set.
  mutating func advance(to now: Int64) -> [Int] {
    guard now >= current else { return [] }
    var expired: [Int] = []
    let first = max(current, now - Int64(TimerWheel.buckets) + 1)
    for tick in first...now {
      let bucket = TimerWheel.bucket(tick)
      guard occupied[bucket / 64] & 1 << UInt64(bucket % 64) != 0 else { continue }
      var id = heads[bucket]
      while id != TimerWheel.none {
        let entry = entries[Int(id)]
        if entry.deadline <= now { expired.append(Int(id)) }
        id = entry.next
      }
    }
    for id in expired { remove(id) }
    current = now
    return expired
  }

  /// When to look next: not later than the earliest deadline, if there is one.
  var next: Int64? {
    var bucket = TimerWheel.bucket(current)
    var word = occupied[bucket / 64] & (~0 << UInt64(bucket % 64))
    var distance = -(bucket % 64)
    for _ in 0...TimerWheel.buckets / 64 {
      if word != 0 { return current + Int64(distance + word.trailingZeroBitCount) }
      distance += 64
      bucket = (bucket / 64 + 1) * 64 % TimerWheel.buckets
      word = occupied[bucket / 64]
    }
    return nil
  }

  private static func bucket(_ tick: Int64) -> Int { Int(tick & Int64(buckets - 1)) }
}
