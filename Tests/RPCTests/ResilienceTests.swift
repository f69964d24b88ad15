// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import RPC
import Testing

@Suite struct ResilienceTests {
  static let attempts: [(remaining: Int, p99: Int, expected: Int)] = [
    (30_000, 1, 500), (30_000, 62, 500), (30_000, 63, 504), (30_000, 500, 4_000), (30_000, 5_000, 10_000),
    (5_000, 1, 500), (5_000, 1_000, 1_666), (1_200, 1, 400), (300, 1, 100), (2, 1, 1), (0, 1, 1), (-5, 1, 1),
  ]
  @Test(arguments: attempts)
  func `an attempt gets a third of what is left, or what its method needs if that is less`(
    _ test: (remaining: Int, p99: Int, expected: Int)
  ) {
    #expect(RetryPolicy().attempt(remaining: test.remaining, p99: test.p99) == test.expected)
  }

  @Test(arguments: [(1, 10), (2, 20), (3, 40), (5, 160), (6, 250), (100, 250)])
  func `the wait before a repeat is anything up to twice the last one`(_ repetition: Int, _ longest: Int) {
    let policy = RetryPolicy()
    var dice = Balancer(seed: 7)
    let waits = (0..<5_000).map { _ in policy.wait(before: repetition, random: dice.next()) }
    #expect(Set(waits) == Set(0...longest))
  }

  @Test func `one call in ten may be repeated, and a few to begin with`() {
    var budget = RetryBudget()
    var start = 0
    while budget.spend() { start += 1 }
    #expect(start == 20)
    for _ in 0..<105 { budget.earn() }
    var later = 0
    while budget.spend() { later += 1 }
    #expect(later == 10)
    for _ in 0..<100_000 { budget.earn() }
    var most = 0
    while budget.spend() { most += 1 }
    #expect(most == 200 || most == 199)
  }

  @Test func `one repeat of each call is free for a replica that fails, every other one is not`() {
    var budget = RetryBudget()
    for _ in 0..<1_000 {
      var wasFree = false
      let isCovered = budget.covers(isFailover: true, &wasFree)
      #expect(isCovered && wasFree)
    }
    var (wasFree, isOther) = (true, false)
    var paid = 0
    while paid % 2 == 0
      ? budget.covers(isFailover: true, &wasFree) : budget.covers(isFailover: false, &isOther)
    { paid += 1 }
    #expect(paid == 20 && !isOther)
    // Also of a call that has paid for one before.
    let isCovered = budget.covers(isFailover: true, &isOther)
    let isCoveredAgain = budget.covers(isFailover: true, &isOther)
    #expect(isCovered && !isCoveredAgain)
  }

  @Test(arguments: [2, 3, 10, 64])
  func `two choices keep replicas nearly even, and a stuck one nearly empty`(_ count: Int) {
    var balancer = Balancer(seed: 42)
    var outstanding = [Int](repeating: 0, count: count)
    // The first never answers; of the others the one that has had its call longest does.
    var order: [Int] = []
    for _ in 0..<20_000 {
      let index = balancer.pick(count) { outstanding[$0] }!
      outstanding[index] += 1
      if index != 0 { order.append(index) }
      if order.count > 4 * count { outstanding[order.removeFirst()] -= 1 }
    }
    #expect(outstanding[0] <= 12)
    #expect(outstanding.dropFirst().max()! <= 12)
  }

  @Test func `every replica gets its share`() {
    var balancer = Balancer(seed: 1)
    var counts = [0, 0, 0]
    for _ in 0..<30_000 { counts[balancer.pick(3) { _ in 0 }!] += 1 }
    for count in counts { #expect((9_000...11_000).contains(count)) }
    let (none, only) = (balancer.pick(0) { _ in 0 }, balancer.pick(1) { _ in 5 })
    #expect(none == nil && only == 0)
  }

  @Test(arguments: [(0, 1_023, 1), (0, 1_024, 0), (1, 1_024, 0), (1, 1_030, 0), (3, 3_071, 1), (3, 3_072, 0)])
  func `the breaker lets through so many calls for each replica`(_ replicas: Int, _ underWay: Int, _ room: Int) {
    let breaker = Breaker(limitPerReplica: 1_024)
    #expect(breaker.room(underWay: underWay, replicas: replicas) == room)
    #expect(breaker.admits(underWay: underWay, replicas: replicas) == (room > 0))
  }

  @Test func `the quantiles follow what calls take, up and down`() {
    let profile = MethodProfile()
    var dice = Balancer(seed: 3)
    func record(_ count: Int, upTo milliseconds: UInt64) {
      for _ in 0..<count { profile.record(nanoseconds: dice.next() % (milliseconds * 1_000_000)) }
    }
    record(20_000, upTo: 100)
    #expect((88...102).contains(profile.p95Milliseconds))
    #expect((93...106).contains(profile.p99Milliseconds))
    record(500, upTo: 1_000)
    #expect(profile.p99Milliseconds > 700)
    record(30_000, upTo: 10)
    #expect(profile.p95Milliseconds <= 11 && profile.p99Milliseconds <= 11)
    for _ in 0..<10_000 { profile.record(nanoseconds: .max) }
    #expect(profile.p99Milliseconds == 30_000)
  }
}

@Suite struct ReplicaHealthTests {
  private let policy = OutlierPolicy()

  @Test func `failures in a row eject, for longer each time, until there was peace`() {
    var health = ReplicaHealth(policy, now: 0)
    var failures: [Bool] = []
    for _ in 0..<4 { failures.append(health.failed(now: 0)) }
    health.succeeded()
    for _ in 0..<5 { failures.append(health.failed(now: 0)) }
    #expect(failures == [false, false, false, false, false, false, false, false, true])
    var now: Int64 = 1_000
    for length in [5_000, 10_000, 20_000, 30_000, 30_000] {
      health.eject(now: now)
      #expect(health.isEjected(now: now + Int64(length) - 1))
      #expect(health.returnsAt(now: now) == now + Int64(length))
      // What was under way when it was ejected fails now, and is no news.
      for _ in 0..<100 { failures.append(health.failed(now: now + 1)) }
      #expect(failures.last == false)
      now += Int64(length)
      #expect(!health.isEjected(now: now) && health.isWell(now: now))
    }
    now += 60_000
    health.eject(now: now)
    #expect(health.returnsAt(now: now) == now + 5_000)
  }

  @Test func `one that is silent is asked, and stalled when it stays silent, within seven seconds`() {
    var health = ReplicaHealth(policy, now: 0)
    var wasStalled = health.heard(now: 100)
    #expect(!wasStalled)
    var stalledAt: Int64?
    var asked: [Int64] = []
    // The client looks every half second.
    for now in stride(from: Int64(400), through: 10_000, by: 500) {
      if health.noticeStall(now: now) { stalledAt = now }
      if health.asks(now: now) { asked.append(now) }
    }
    #expect(asked.first == 2_400)
    #expect(stalledAt == 4_400)
    #expect(health.isStalled && !health.isWell(now: 10_000))
    // It is asked on, so that it is heard when it wakes.
    #expect(asked.count > 1)
    wasStalled = health.heard(now: 10_001)
    #expect(wasStalled && health.isWell(now: 10_001))
  }

  @Test func `one is silent from what it was given to answer until it is heard, and from then on if there is more`() {
    var health = ReplicaHealth(policy, now: 0)
    #expect(health.silence(now: 1_000) == 0)
    health.owes(from: 1_000)
    health.owes(from: 1_200)
    #expect(health.silence(now: 1_300) == 300)
    _ = health.heard(now: 1_400, owesMore: true)
    #expect(health.silence(now: 1_500) == 100)
    _ = health.heard(now: 1_500)
    #expect(health.silence(now: 9_000) == 0)
  }

  @Test func `one that is heard is neither asked nor stalled`() {
    var health = ReplicaHealth(policy, now: 0)
    for now in stride(from: Int64(0), through: 20_000, by: 500) {
      let (wasStalled, asks, stalls) = (
        health.heard(now: now), health.asks(now: now), health.noticeStall(now: now)
      )
      #expect(!wasStalled && !asks && !stalls)
    }
  }
}
