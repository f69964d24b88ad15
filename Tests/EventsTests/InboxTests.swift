// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Events
import JSONRPC
import SQLStore
import StoreTesting
import Testing

@Suite struct InboxTests {
  static let table = Migration(
    version: 1, name: "start",
    sql: """
      CREATE TABLE taken (app TEXT NOT NULL, number BIGINT NOT NULL, what TEXT NOT NULL, PRIMARY KEY (app, number))
        STRICT, WITHOUT ROWID;
      CREATE TABLE turn (app TEXT PRIMARY KEY, count BIGINT NOT NULL) STRICT, WITHOUT ROWID;
      """)

  static func event(
    _ seq: Int64, _ subject: String = "a:maya", source: String = "s", epoch: String = "e", app: String = "app",
    entry: String? = nil, generation: Int64 = 1
  ) -> Event {
    Event(
      source: source, epoch: epoch, app: app, subject: subject, generation: generation, seq: seq,
      entryId: entry ?? "\(epoch)-\(seq)", kind: "k", records: [])
  }

  /// Takes events and writes what it got into `taken`.
  @discardableResult
  static func accept(_ test: TestStore, _ events: [Event]) async throws -> [Acceptance] {
    try await Inbox(store: test.store).accept(
      events,
      reads: [
        SQLStatement(
          lock: """
            INSERT INTO turn (app, count) VALUES ('app', 1) ON CONFLICT (app) DO UPDATE SET count = turn.count + 1
            """),
        SQLStatement("SELECT coalesce(max(number), 0) FROM taken WHERE app = 'app'"),
      ]
    ) { arrivals, rows, writes in
      for (index, arrival) in arrivals.enumerated() {
        writes.add(
          "INSERT INTO taken (app, number, what) VALUES ('app', $1, $2)",
          .integer(rows[1][0].int(0) + Int64(index) + 1),
          .text("\(arrival.event.subject)#\(arrival.event.seq)\(arrival.isCurrent ? "" : " stale")"))
      }
    }
  }

  static func taken(_ test: TestStore) async throws -> [String] {
    try await test.store.read(SQLStatement("SELECT what FROM taken WHERE app = 'app' ORDER BY number"))
      .map { $0.text(0) }
  }

  private func fresh(_ backend: StoreBackend) throws -> TestStore { try TestStore(backend, migrations: [Self.table]) }

  @Test(arguments: StoreBackend.all) func eventsAreTakenInTurnAndOnce(_ backend: StoreBackend) async throws {
    let test = try fresh(backend)
    #expect(try await Self.accept(test, [Self.event(1), Self.event(2)]) == [.applied, .applied])
    #expect(
      try await Self.accept(test, [Self.event(1), Self.event(2), Self.event(3)]) == [.duplicate, .duplicate, .applied])
    #expect(
      try await Self.accept(test, [Self.event(5), Self.event(4), Self.event(5), Self.event(5)]) == [
        .gap, .applied, .applied, .duplicate,
      ])
    #expect(try await Self.accept(test, [Self.event(2)]) == [.duplicate])
    #expect(try await Self.taken(test) == ["a:maya#1", "a:maya#2", "a:maya#3", "a:maya#4", "a:maya#5"])
  }

  @Test(arguments: StoreBackend.all) func anotherEventInTheSamePlaceIsAConflict(_ backend: StoreBackend) async throws {
    let test = try fresh(backend)
    try await Self.accept(test, [Self.event(1)])
    #expect(try await Self.accept(test, [Self.event(1, entry: "other"), Self.event(2)]) == [.conflict, .applied])
    #expect(try await Self.accept(test, [Self.event(3), Self.event(3, entry: "other")]) == [.applied, .conflict])
    #expect(try await Self.taken(test).count == 3)
  }

  @Test(arguments: StoreBackend.all) func everySubjectOfEverySourceAndEpochHasItsOwnOrder(
    _ backend: StoreBackend
  ) async throws {
    let test = try fresh(backend)
    let firsts = [
      Self.event(1), Self.event(1, "a:noah"), Self.event(1, source: "t"), Self.event(1, epoch: "f"),
      Self.event(1, app: "other"),
    ]
    #expect(try await Self.accept(test, firsts) == Array(repeating: .applied, count: 5))
    #expect(try await Self.accept(test, [Self.event(2, "a:noah"), Self.event(3)]) == [.applied, .gap])
  }

  @Test(arguments: StoreBackend.all) func whatComesTooLateIsMarkedStaleAndTakenAllTheSame(
    _ backend: StoreBackend
  ) async throws {
    let test = try fresh(backend)
    try await test.store.write([]) { _, writes in
      writes.add("INSERT INTO subject_head (app, subject, generation, seq, state) VALUES ('app', 'a:maya', 2, 9, 0)")
      writes.add("INSERT INTO subject_head (app, subject, generation, seq, state) VALUES ('app', 'a:gone', 1, 9, 1)")
      writes.add("INSERT INTO subject_head (app, subject, generation, seq, state) VALUES ('app', 'a:erased', 1, 9, 2)")
    }
    let events = [
      Self.event(1, generation: 1), Self.event(2, generation: 2), Self.event(3, generation: 3), Self.event(1, "a:gone"),
      Self.event(1, "a:erased"), Self.event(2, "a:erased", generation: 2),
    ]
    #expect(try await Self.accept(test, events) == Array(repeating: .applied, count: 6))
    #expect(
      try await Self.taken(test) == [
        "a:maya#1 stale", "a:maya#2", "a:maya#3", "a:gone#1 stale", "a:erased#1 stale", "a:erased#2",
      ])
  }

  @Test(arguments: StoreBackend.all) func aSubscriberThatFailsHasTakenNothing(_ backend: StoreBackend) async throws {
    struct Broken: Error {}
    let test = try fresh(backend)
    await #expect(throws: Broken.self) {
      try await Inbox(store: test.store).accept([Self.event(1)]) { _, _, _ in throw Broken() }
    }
    #expect(try await Self.accept(test, [Self.event(1)]) == [.applied])
  }

  @Test(arguments: StoreBackend.all) func theSameBatchDeliveredAtOnceIsAppliedOnce(
    _ backend: StoreBackend
  ) async throws {
    let test = try fresh(backend)
    let batch = (1...20).map { Self.event(Int64($0)) }
    let applied = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<16 {
        group.addTask { try await Self.accept(test, batch).count { $0 == .applied } }
      }
      return try await group.reduce(0, +)
    }
    #expect(applied == 20)
    #expect(try await Self.taken(test).count == 20)
  }

  @Test(arguments: StoreBackend.all) func whatIsLostCanBePassedOver(_ backend: StoreBackend) async throws {
    let test = try fresh(backend)
    try await Self.accept(test, [Self.event(1)])
    let inbox = Inbox(store: test.store)
    #expect(try await inbox.accept([Self.event(4)]) { _, _, _ in } == [.gap])
    #expect(
      try await inbox.accept([Self.event(4), Self.event(3)], overGaps: true) { _, _, _ in } == [.applied, .duplicate])
    #expect(try await inbox.accept([Self.event(4), Self.event(5)]) { _, _, _ in } == [.duplicate, .applied])
    #expect(try await inbox.accept([Self.event(5, entry: "x")], overGaps: true) { _, _, _ in } == [.conflict])
  }
}
