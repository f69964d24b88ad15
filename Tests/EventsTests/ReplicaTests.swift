// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import PostgreSQL
import RPC
import SQLStore
import StoreTesting
import Testing
import Threading

@testable import Events

/// Several replicas of a service on one store: each with a ledger and a relay of its own.
@Suite struct ReplicaTests {
  private static let table = Migration(
    version: 1, name: "start",
    sql:
      "CREATE TABLE slow (app TEXT NOT NULL, id BIGINT NOT NULL, count BIGINT NOT NULL, PRIMARY KEY (app, id)) STRICT;")

  private static func context(_ key: String? = nil) -> CallContext {
    CallContext(
      principal: Principal(kind: .service, app: "app", name: "test"), requestId: "r",
      deadline: .after(milliseconds: 20_000), idempotencyKey: key)
  }

  /// Two ledgers whose clocks stand write to one subject: their rows do not meet.
  @Test(arguments: StoreBackend.all) func positionsOfTwoLedgersNeverMeet(_ backend: StoreBackend) async throws {
    let test = try TestStore(backend)
    let clock = TestWallClock(milliseconds: 10_000)
    let first = try await test.ledger(clock: clock)
    let second = try await test.ledger(clock: clock)
    for ledger in [first, second, second, first, second] {
      _ = try await ledger.write(.account("app", "maya"), Self.context(), method: "m", params: Empty()) { _, _ in
        Empty()
      }
    }
    let rows = try await test.store.read(SQLStatement("SELECT position FROM outbox ORDER BY position"))
    #expect(Set(rows.map { $0.int(0) }).count == 5)
  }

  /// A relay may go as far as no write under way can still come in behind.
  @Test func aWriteUnderWayHoldsRelaysBack() {
    let positions = OutboxPositions(number: 7, after: 0, isOrdered: false)
    let now = Timestamp(milliseconds: 1_000)
    let first = positions.begin()
    let before = positions.settled!
    let early = positions.next(now)
    let second = positions.begin()
    let late = positions.next(now)
    #expect(before < early && early < late && early % 1000 == 7 && late % 1000 == 7)
    positions.end(second)
    #expect(positions.settled == before)
    positions.end(first)
    #expect(positions.settled == late)
    #expect(OutboxPositions(number: 7, after: 0, isOrdered: true).settled == nil)
  }

  /// Rows up to a position that a write of unknown outcome may have taken are not removed unseen.
  @Test func aWriteOfUnknownOutcomeMakesAllPositionsTakenSoFarDoubtful() {
    let positions = OutboxPositions(number: 7, after: 0, isOrdered: false)
    #expect(positions.lastDoubtful == 0)
    let taken = positions.next(Timestamp(milliseconds: 1_000))
    positions.doubt()
    #expect(positions.lastDoubtful == taken)
    #expect(positions.next(Timestamp(milliseconds: 1_000)) > taken)
    #expect(positions.lastDoubtful == taken)
  }

  /// Three digits tell ledgers apart: another with the same begins a thousand starts later.
  @Test(arguments: [(1_007, 1_007, true), (1_007, 1_900, true), (1_007, 1_907, false), (1_007, 2_007, false)])
  func aNumberIsALedgersOwnUntilTheStoreHasNearlyCountedRound(_ own: Int64, _ last: Int64, _ isOwn: Bool) {
    #expect(OutboxPositions(number: own, after: 0, isOrdered: false).isOwn(lastGiven: last) == isOwn)
  }

  /// A write that took its place early and is committed late, while relays go on past it, is delivered all the same, and
  /// what follows it in its subject after it.
  @Test func relaysOfTwoReplicasKeepOrderAndMissNoLateCommit() async throws {
    let source = try TestStore(.postgresql, migrations: [Self.table])
    let subscriber = try TestStore(.postgresql, migrations: [InboxTests.table])
    try await source.store.write([]) { _, writes in
      for id in 0..<4 { writes.add("INSERT INTO slow (app, id, count) VALUES ('app', $1, 0)", SQLValue(id)) }
    }
    let stores = [source.store, try source.replica()]
    defer { stores[1].close() }
    let ledgers = [
      try await Ledger(store: stores[0], source: "test-service"),
      try await Ledger(store: stores[1], source: "test-service"),
    ]
    let relays = ledgers.map { ledger in
      Relay(ledger) { _, batch in
        DeliverResult(outcomes: try await InboxTests.accept(subscriber, try batch.decoded()))
      }
    }
    let running = relays.map { relay in Task { await relay.run() } }
    let (writers, each) = (12, 25)
    try await withThrowingTaskGroup(of: Void.self) { group in
      // Holds rows for a while now and then, so that transactions that want them are committed late.
      let hold = Task {
        let connection = try source.connect()
        while !Task.isCancelled {
          try connection.execute("BEGIN; SELECT count FROM slow WHERE id = 1 FOR UPDATE")
          try? await Task.sleep(for: .milliseconds(120))
          try connection.execute("COMMIT")
          try? await Task.sleep(for: .milliseconds(10))
        }
      }
      for writer in 0..<writers {
        group.addTask {
          for round in 0..<each {
            let id = Int64((writer + round) % 4)
            _ = try await ledgers[(writer + round) % 2].write(
              .account("app", "\(writer)"), Self.context("\(writer)-\(round)"), method: "m", params: Empty()
            ) { _, change in
              change.write("UPDATE slow SET count = count + 1 WHERE app = 'app' AND id = $1", .integer(id))
              change.record("kind", facts: [:])
              return Empty()
            }
          }
        }
      }
      try await group.waitForAll()
      hold.cancel()
    }
    // Until everything was taken and the outbox is empty.
    while try await !source.store.read(SQLStatement("SELECT 1 FROM outbox LIMIT 1")).isEmpty {
      try await Task.sleep(for: .milliseconds(20))
    }
    for task in running { task.cancel() }
    for task in running { await task.value }
    let taken = try await InboxTests.taken(subscriber)
    for writer in 0..<writers {
      let mine = taken.filter { $0.hasPrefix("a:\(writer)#") }
      #expect(mine == (1...each).map { "a:\(writer)#\($0)" })
    }
    #expect(taken.count == writers * each)
  }

  /// What a replica left behind when it died is delivered by another.
  @Test func aDeadReplicasRowsAreDeliveredByAnother() async throws {
    let source = try TestStore(.postgresql)
    let subscriber = try TestStore(.postgresql, migrations: [InboxTests.table])
    let alive = try await source.ledger()
    let relay = Relay(alive) { _, batch in
      DeliverResult(outcomes: try await InboxTests.accept(subscriber, try batch.decoded()))
    }
    let running = Task { await relay.run() }
    let dead = try await source.ledger()
    _ = try await dead.write(.account("app", "maya"), Self.context(), method: "m", params: Empty()) { _, _ in Empty() }
    while try await InboxTests.taken(subscriber) != ["a:maya#1"] { try await Task.sleep(for: .milliseconds(20)) }
    running.cancel()
    await running.value
  }

  private static let slots = Migration(
    version: 1, name: "start",
    sql: "CREATE TABLE slot (app TEXT NOT NULL, id TEXT NOT NULL, seen TEXT NOT NULL, PRIMARY KEY (app, id)) STRICT;")

  /// Adds each event to what its slot has.
  private static func take(_ events: [Event], on store: any SQLStore) async throws -> [Acceptance] {
    try await Inbox(store: store).accept(events) { arrivals, _, writes in
      for arrival in arrivals {
        writes.add(
          """
          INSERT INTO slot (app, id, seen) VALUES ('app', $1, $2)
          ON CONFLICT (app, id) DO UPDATE SET seen = slot.seen || excluded.seen
          """, .text("\(arrival.event.source) \(arrival.event.subject)"), .text("\(arrival.event.seq) "))
      }
    }
  }

  /// Replicas of a subscriber get the same events at once, in windows that overlap, while sessions are ended under them and
  /// rows are held: each has its effect once, in order.
  @Test func replicasOfASubscriberTakeWhatTheyGetAtOnceOnceAndInOrder() async throws {
    let subscriber = try TestStore(.postgresql, migrations: [Self.slots])
    let stores = [subscriber.store, try subscriber.replica()]
    defer { stores[1].close() }
    let (sources, subjects, each) = (["s", "t"], (0..<4).map { "a:\($0)" }, Int64(60))
    let known = Lock<[String: Int64]>([:])
    /// What comes next of each subject of a source, and a little of what came before.
    @Sendable func window(_ source: String, back: Int64) -> [Event] {
      subjects.flatMap { subject in
        let from = max(1, known.withLock { $0[source + subject] ?? 0 } - back)
        return (from...min(each, from + 8)).map { InboxTests.event($0, subject, source: source) }
      }
    }
    let hostility = Task {
      let connection = try subscriber.connect()
      try connection.execute("SET idle_in_transaction_session_timeout = 0")
      while !Task.isCancelled {
        try connection.execute("BEGIN; SELECT seq FROM inbox WHERE subject = '' FOR UPDATE")
        try? await Task.sleep(for: .milliseconds(30))
        try connection.execute("COMMIT")
        try connection.execute(
          """
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name = 'assent-' || current_schema() AND random() < 0.3
          """)
        try? await Task.sleep(for: .milliseconds(30))
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<8 {
        group.addTask {
          let source = sources[worker % 2]
          while known.withLock({ known in subjects.contains { known[source + $0] ?? 0 < each } }) {
            let events = window(source, back: Int64(worker / 4 * 3))
            // What was lost with its connection is delivered again, as a relay does.
            guard let outcomes = try? await Self.take(events, on: stores[worker / 2 % 2]) else { continue }
            for (event, outcome) in zip(events, outcomes) where outcome != .gap {
              #expect(outcome == .applied || outcome == .duplicate)
              known.withLock { known in
                known[source + event.subject] = max(known[source + event.subject] ?? 0, event.seq)
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    hostility.cancel()
    try await hostility.value
    let seen = try await subscriber.store.read(SQLStatement("SELECT id, seen FROM slot ORDER BY app, id"))
    #expect(seen.count == sources.count * subjects.count)
    let all = (1...each).map { "\($0) " }.joined()
    for row in seen { #expect(row.text(1) == all, "\(row.text(0))") }
  }
}
