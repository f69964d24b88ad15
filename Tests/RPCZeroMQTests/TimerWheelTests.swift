// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RPCZeroMQ

@Suite struct TimerWheelTests {
  @Test func `each deadline comes up once, at its time`() {
    var wheel = TimerWheel(now: 1_000)
    let deadlines: [Int64] = [1_000, 1_001, 1_001, 1_063, 1_064, 5_095, 5_096, 5_097, 31_000, 999]
    for (id, deadline) in deadlines.enumerated() { wheel.set(id, at: deadline) }
    var seen: [Int: Int64] = [:]
    for now in Int64(1_000)...32_000 {
      for id in wheel.advance(to: now) {
        #expect(seen[id] == nil)
        seen[id] = now
      }
    }
    for (id, deadline) in deadlines.enumerated() { #expect(seen[id] == max(1_000, deadline)) }
    #expect(wheel.next == nil)
  }

  @Test func `a long pause brings up everything that is over`() {
    var wheel = TimerWheel(now: 0)
    for id in 0..<100 { wheel.set(id, at: Int64(id) * 1_000) }
    #expect(wheel.advance(to: 50_000).sorted() == Array(0...50))
    #expect(wheel.advance(to: 50_000).isEmpty)
    #expect(wheel.advance(to: 99_000).sorted() == Array(51..<100))
  }

  @Test func `what is removed or set anew does not come up at its old time`() {
    var wheel = TimerWheel(now: 0)
    // Three in one list: its head, middle and end go.
    for id in 0..<5 { wheel.set(id, at: 10) }
    for id in [4, 2, 0] { wheel.remove(id) }
    wheel.remove(4)
    wheel.remove(77)
    wheel.set(1, at: 20)
    #expect(wheel.advance(to: 10) == [3])
    #expect(wheel.advance(to: 20) == [1])
    #expect(wheel.next == nil)
  }

  @Test(arguments: [Int64(0), 1, 63, 64, 65, 4_095, 4_096, 1_000_000])
  func `the next look is never later than the earliest deadline`(_ start: Int64) {
    for distance in [Int64(0), 1, 62, 63, 64, 65, 127, 4_000, 4_095] {
      var wheel = TimerWheel(now: start)
      wheel.set(0, at: start + distance)
      #expect(wheel.next == start + distance)
    }
    var wheel = TimerWheel(now: start)
    wheel.set(0, at: start + 10_000)
    #expect(wheel.next! <= start + 10_000)
  }
}
