// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Events
import JSONRPC
import Metrics
import RPC
import SQLStore
import StoreTesting
import Testing
import Threading

@Suite(.timeLimit(.minutes(5))) struct RelayTests {
  /// A service with a ledger and a subscriber with an inbox, each with a store of its own.
  struct Pair {
    let source: TestStore
    let subscriber: TestStore
    let ledger: Ledger

    init(_ backend: StoreBackend = .sqlite, subscribers: [String] = ["audit-service"]) async throws {
      source = try TestStore(backend)
      subscriber = try TestStore(backend, migrations: [InboxTests.table])
      ledger = try await source.ledger(source: "note-service", subscribers: subscribers)
    }

    func write(_ account: Int, app: String = "app") async throws {
      let context = CallContext(
        principal: Principal(kind: .service, app: app, name: "test"), requestId: "r",
        deadline: .after(milliseconds: 20_000))
      _ = try await ledger.write(.account(app, "\(account)"), context, method: "m", params: Empty()) { _, change in
        change.record("k", facts: [:])
        return Empty()
      }
    }

    @Sendable func take(_ batch: EncodedEvents) async throws -> DeliverResult {
      DeliverResult(outcomes: try await InboxTests.accept(subscriber, try batch.decoded()))
    }

    func waiting() async throws -> Int {
      try await Int(source.store.read(SQLStatement("SELECT count(*) FROM outbox"))[0].int(0))
    }
  }

  /// Runs a relay until `isDone` says so after a delivery or a removal of rows.
  static func run(_ relays: [Relay], until isDone: @escaping @Sendable () async throws -> Bool) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for relay in relays { group.addTask { await relay.run() } }
      group.addTask {
        while try await !isDone() { await Task.yield() }
      }
      try await group.next()
      group.cancelAll()
      try await group.waitForAll()
    }
  }

  @Test(arguments: StoreBackend.all) func everyEventArrivesInOrderAndLeavesTheOutbox(
    _ backend: StoreBackend
  ) async throws {
    let pair = try await Pair(backend)
    for number in 0..<600 { try await pair.write(number % 7) }
    let relay = Relay(pair.ledger) { _, batch in
      #expect(batch.events.count <= 512)
      return try await pair.take(batch)
    }
    try await Self.run([relay]) { try await pair.waiting() == 0 }
    let taken = try await InboxTests.taken(pair.subscriber)
    #expect(taken.count == 600)
    for account in 0..<7 {
      let own = taken.filter { $0.hasPrefix("a:\(account)#") }
      #expect(own == (1...own.count).map { "a:\(account)#\($0)" })
    }
  }

  @Test func aCommitWakesTheRelay() async throws {
    let pair = try await Pair()
    let relay = Relay(pair.ledger) { _, batch in try await pair.take(batch) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await relay.run() }
      for round in 1...20 {
        try await pair.write(1)
        while try await InboxTests.taken(pair.subscriber).count < round { await Task.yield() }
      }
      group.cancelAll()
    }
    #expect(try await InboxTests.taken(pair.subscriber).count == 20)
  }

  @Test func everySubscriberGetsEverythingOnItsOwn() async throws {
    let pair = try await Pair(subscribers: ["audit-service", "other-service"])
    for number in 0..<10 { try await pair.write(number) }
    let counts = Lock<[String: Int]>([:])
    let relay = Relay(pair.ledger) { subscriber, batch in
      // The other one never answers well.
      if subscriber == "other-service" { throw RPCError.unavailable("away", reason: "away") }
      counts.withLock { $0[subscriber, default: 0] += batch.events.count }
      return DeliverResult(outcomes: batch.events.map { _ in .applied })
    }
    try await Self.run([relay]) { try await pair.waiting() == 10 }
    #expect(counts.withLock { $0 } == ["audit-service": 10])
    let left = try await pair.source.store.read(SQLStatement("SELECT DISTINCT subscriber FROM outbox"))
    #expect(left.map { $0.text(0) } == ["other-service"])
  }

  @Test func aSubscriberThatComesBackGetsWhatWaited() async throws {
    let pair = try await Pair()
    let failures = Lock(3)
    for number in 0..<5 { try await pair.write(number) }
    let relay = Relay(pair.ledger) { _, batch in
      let fails: Bool = failures.withLock { left in
        defer { left -= 1 }
        return left > 0
      }
      if fails { throw RPCError.unavailable("away", reason: "away") }
      return try await pair.take(batch)
    }
    try await Self.run([relay]) { try await pair.waiting() == 0 }
    #expect(try await InboxTests.taken(pair.subscriber).count == 5)
  }

  @Test func everyAppIsServed() async throws {
    let pair = try await Pair()
    for number in 0..<12 { try await pair.write(1, app: "app\(number % 4)") }
    let relay = Relay(pair.ledger) { _, batch in try await pair.take(batch) }
    try await Self.run([relay]) { try await pair.waiting() == 0 }
    #expect(try await InboxTests.taken(pair.subscriber).count == 12)
  }

  @Test func anEventTooEarlyIsDeliveredAgainAfterTheOnesBeforeIt() async throws {
    let pair = try await Pair()
    for _ in 0..<3 { try await pair.write(1) }
    let first = Lock(true)
    let relay = Relay(pair.ledger) { _, batch in
      // The first delivery loses its first event on the way.
      let isFirst: Bool = first.withLock { first in
        defer { first = false }
        return first
      }
      guard isFirst else { return try await pair.take(batch) }
      let rest = try await pair.take(EncodedEvents(events: Array(batch.events.dropFirst())))
      return DeliverResult(outcomes: [.gap] + rest.outcomes)
    }
    try await Self.run([relay]) { try await pair.waiting() == 0 }
    #expect(try await InboxTests.taken(pair.subscriber) == ["a:1#1", "a:1#2", "a:1#3"])
  }

  @Test func aConflictRaisesTheAlarmAndHoldsUpNobodyElse() async throws {
    let pair = try await Pair()
    try await pair.write(1)
    try await pair.write(2)
    // The subscriber knows another first event of this subject.
    let other = InboxTests.event(1, "a:1", source: "note-service", epoch: pair.ledger.epoch, entry: "other")
    try await InboxTests.accept(pair.subscriber, [other])
    let metrics = MetricsRegistry()
    let relay = Relay(pair.ledger, metrics: metrics) { _, batch in try await pair.take(batch) }
    try await Self.run([relay]) {
      let text = metrics.render()
      return try await pair.waiting() == 1
        && !text.contains("assent_relay_conflicts_total{subscriber=\"audit-service\"} 0")
    }
    #expect(try await InboxTests.taken(pair.subscriber) == ["a:1#1", "a:2#1"])
  }

  @Test func theBacklogIsMeasured() async throws {
    let source = try TestStore()
    let clock = TestWallClock(milliseconds: 10_000)
    let ledger = try await source.ledger(clock: clock)
    let context = CallContext(
      principal: Principal(kind: .service, app: "app", name: "test"), requestId: "r",
      deadline: .after(milliseconds: 20_000))
    for account in ["a", "b", "c"] {
      _ = try await ledger.write(.account("app", account), context, method: "m", params: Empty()) { _, _ in Empty() }
    }
    clock.advance(milliseconds: 5_000)
    let metrics = MetricsRegistry()
    let relay = Relay(ledger, metrics: metrics) { _, _ in throw RPCError.unavailable("away", reason: "away") }
    try await Self.run([relay]) { metrics.render().contains("assent_outbox_rows{subscriber=\"audit-service\"} 3") }
    #expect(metrics.render().contains("assent_outbox_oldest_age_seconds{subscriber=\"audit-service\"} 5\n"))
  }

  /// Random writers, two relays, and deliveries that fail before, after and in the middle of what they do.
  @Test(arguments: StoreBackend.all, 0..<6) func whateverFailsEachEventIsAppliedOnceAndInOrder(
    _ backend: StoreBackend, seed: UInt64
  ) async throws {
    let pair = try await Pair(backend)
    let dice = Lock(Dice(seed: seed))
    let roll: @Sendable (Int) -> Int = { sides in dice.withLock { $0.roll(sides) } }
    let deliver: Relay.Delivery = { _, batch in
      switch roll(10) {
      case 0: throw RPCError.unavailable("lost on the way there", reason: "lost")
      case 1:
        _ = try await pair.take(batch)
        throw RPCError.unavailable("lost on the way back", reason: "lost")
      case 2:
        // Taken twice, as by a retry.
        _ = try await pair.take(batch)
        return try await pair.take(batch)
      case 3:
        // Only the end arrives; the rest is said to be missing.
        let cut = roll(batch.events.count + 1)
        let end = try await pair.take(EncodedEvents(events: Array(batch.events.dropFirst(cut))))
        return DeliverResult(outcomes: Array(repeating: .gap, count: cut) + end.outcomes)
      case 4:
        let shuffled = dice.withLock { dice in batch.events.shuffled(using: &dice) }
        _ = try await pair.take(EncodedEvents(events: shuffled))
        return try await pair.take(batch)
      default: return try await pair.take(batch)
      }
    }
    let total = 400
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<8 {
        group.addTask {
          for _ in 0..<(total / 8) {
            try await pair.write(roll(5))
            if writer == 0 { await Task.yield() }
          }
        }
      }
      group.addTask {
        try await Self.run([Relay(pair.ledger, deliver: deliver), Relay(pair.ledger, deliver: deliver)]) {
          guard try await InboxTests.taken(pair.subscriber).count >= total else { return false }
          return try await pair.waiting() == 0
        }
      }
      try await group.waitForAll()
    }
    let taken = try await InboxTests.taken(pair.subscriber)
    #expect(taken.count == total)
    for account in 0..<5 {
      let own = taken.filter { $0.hasPrefix("a:\(account)#") }
      #expect(own == (1...max(1, own.count)).prefix(own.count).map { "a:\(account)#\($0)" })
    }
  }
}

/// SplitMix64, so that a failing run can be had again.
struct Dice: RandomNumberGenerator, Sendable {
  private var state: UInt64
  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
  mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &self) }
}
