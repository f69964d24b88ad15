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

@Suite(.timeLimit(.minutes(5))) struct RecoveryTests {
  static let table = Migration(
    version: 1, name: "start",
    sql: """
      CREATE TABLE note (app TEXT NOT NULL, id TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (app, id))
        STRICT, WITHOUT ROWID;
      CREATE TABLE taken (app TEXT NOT NULL, entry_id TEXT NOT NULL, PRIMARY KEY (app, entry_id))
        STRICT, WITHOUT ROWID;
      """)

  struct Noted: StoreEffect, Hashable {
    var text: String
    func statements(at place: EventPlace) -> [SQLStatement] {
      [
        SQLStatement(
          """
          INSERT INTO note (app, id, text) VALUES ($1, $2, $3) ON CONFLICT (app, id) DO UPDATE SET text = excluded.text
          """, .text(place.subject.app), .text(place.subject.id), .text(text))
      ]
    }
  }

  /// A service on a store, and another on its backup: what the first has when the second is made.
  struct Service {
    let test: TestStore
    let ledger: Ledger

    init(_ backend: StoreBackend, subscribers: [String] = ["audit-service"]) async throws {
      test = try TestStore(backend, migrations: [RecoveryTests.table])
      ledger = try await test.ledger(source: "note-service", subscribers: subscribers)
    }

    func note(_ text: String, _ account: String, app: String = "app") async throws {
      let context = CallContext(
        principal: Principal(kind: .service, app: app, name: "test"), requestId: "r",
        deadline: .after(milliseconds: 20_000))
      _ = try await ledger.write(.account(app, account), context, method: "m", params: Empty()) { _, change in
        try change.apply(Noted(text: text))
        change.record("note.set", facts: [:])
        return Empty()
      }
    }

    func notes() async throws -> [String] {
      try await test.store.read(SQLStatement("SELECT app, id, text FROM note ORDER BY app, id"))
        .map { "\($0.text(0)) \($0.text(1)) \($0.text(2))" }
    }

    func heads() async throws -> [String] {
      try await test.store.read(
        SQLStatement("SELECT app, subject, generation, seq, state FROM subject_head ORDER BY app, subject")
      ).map { "\($0.text(0)) \($0.text(1)) \($0.int(2)) \($0.int(3)) \($0.int(4))" }
    }

    func recovery(_ archive: EventArchive) -> Recovery {
      Recovery(ledger, archive: archive, statements: { try $0.statements(of: Noted.self) })
    }
  }

  /// The events of a service that lived on while `restored` stayed as the backup was: both begin with the same writes.
  private static func lives(_ backend: StoreBackend) async throws -> (
    archive: EventArchive, lived: Service, restored: Service
  ) {
    let lived = try await Service(backend)
    let restored = try await Service(backend)
    for number in 0..<3 { try await lived.note("old \(number)", "\(number)") }
    try await lived.note("old", "1", app: "brand")
    let events = try await lived.test.outbox()
    // The backup: what was there then, and the epoch.
    _ = try await restored.recovery(.holding { events }).run { _ in }
    try await restored.test.store.write([]) { _, writes in
      writes.add("UPDATE store_meta SET value = $1 WHERE name = 'epoch'", .text(events[0].epoch))
      writes.add("DELETE FROM outbox")
    }
    for number in 0..<40 { try await lived.note("new \(number)", "\(number % 5)") }
    try await lived.note("new", "1", app: "brand")
    let archive = EventArchive.holding { [lived] in try await lived.test.outbox() }
    return (archive, lived, try await restored.reopened())
  }

  @Test(arguments: StoreBackend.all) func aRestoredStoreIsNoticedAndBroughtUpToDate(
    _ backend: StoreBackend
  ) async throws {
    let (archive, lived, restored) = try await Self.lives(backend)
    let recovery = restored.recovery(archive)
    #expect(try await recovery.obstacle(within: .after(milliseconds: 1_000)) == .behind)
    #expect(try await lived.recovery(archive).obstacle(within: .after(milliseconds: 1_000)) == nil)

    let progress = try await recovery.run { _ in }
    #expect(progress.replayed == 41)
    #expect(try await restored.notes() == lived.notes())
    #expect(try await restored.heads() == lived.heads())
    #expect(restored.ledger.epoch == lived.ledger.epoch + ".0001")
    #expect(try await recovery.obstacle(within: .after(milliseconds: 1_000)) == nil)
    // Again there is nothing to do.
    #expect(try await recovery.run { _ in }.replayed == 0)
    #expect(restored.ledger.epoch == lived.ledger.epoch + ".0001")
  }

  @Test(arguments: StoreBackend.all) func newWritesGoOnWithoutGapOrConflict(_ backend: StoreBackend) async throws {
    let (archive, lived, restored) = try await Self.lives(backend)
    let subscriber = try TestStore(backend, migrations: [InboxTests.table])
    #expect(try await InboxTests.accept(subscriber, lived.test.outbox()).allSatisfy { $0 == .applied })
    _ = try await restored.recovery(archive).run { _ in }
    try await restored.note("after", "1")
    try await restored.note("after", "new")
    let events = try await restored.test.outbox()
    #expect(events.map(\.epoch) == Array(repeating: lived.ledger.epoch + ".0001", count: 2))
    #expect(try await InboxTests.accept(subscriber, events) == [.applied, .applied])
    #expect(try await InboxTests.accept(subscriber, events) == [.duplicate, .duplicate])
  }

  @Test func replicasRecoverOneStoreOnceAndGoOnInOneEpoch() async throws {
    let (archive, lived, restored) = try await Self.lives(.postgresql)
    let replicas = try await withThrowingTaskGroup(of: Service.self) { group in
      for _ in 0..<3 { group.addTask { try await restored.replica() } }
      return try await group.reduce(into: [Service]()) { $0.append($1) }
    }
    let replayed = try await withThrowingTaskGroup(of: Int.self) { group in
      for replica in replicas { group.addTask { try await replica.recovery(archive).run { _ in }.replayed } }
      return try await group.reduce(0, +)
    }
    #expect(replayed <= 41)
    #expect(try await restored.notes() == lived.notes())
    #expect(try await restored.heads() == lived.heads())
    for replica in replicas {
      #expect(replica.ledger.epoch == lived.ledger.epoch + ".0001")
      #expect(try await replica.recovery(archive).obstacle(within: .after(milliseconds: 5_000)) == nil)
    }
  }

  /// The restored store went on by itself, and its relay has not run.
  @Test(arguments: StoreBackend.all, [1, 30]) func aStoreThatWentOnByItselfIsNoticedAndItsWritesFollow(
    _ backend: StoreBackend, _ writes: Int
  ) async throws {
    let (archive, lived, restored) = try await Self.lives(backend)
    for number in 0..<writes { try await restored.note("fork \(number)", "1") }
    let recovery = restored.recovery(archive)
    #expect(try await recovery.obstacle(within: .after(milliseconds: 1_000)) != nil)
    let progress = try await recovery.run { _ in }
    #expect(progress.rebased == writes)
    let expected = try await lived.notes().map { $0.hasPrefix("app a:1 ") ? "app a:1 fork \(writes - 1)" : $0 }
    #expect(try await restored.notes() == expected)
    // One subject, one history: nothing is missing and nothing contradicts.
    let own = try await restored.test.outbox()
    #expect(own.map(\.seq) == (10..<Int64(10 + writes)).map { $0 })
    #expect(own.allSatisfy { $0.epoch == restored.ledger.epoch })
    let subscriber = try TestStore(backend, migrations: [InboxTests.table])
    #expect(try await InboxTests.accept(subscriber, lived.test.outbox()).allSatisfy { $0 == .applied })
    #expect(try await InboxTests.accept(subscriber, own).allSatisfy { $0 == .applied })
    #expect(try await recovery.obstacle(within: .after(milliseconds: 1_000)) == nil)
  }

  @Test func onlyAnOutboxThatContradictsTheArchiveIsContested() async throws {
    let lived = try await Service(.sqlite)
    try await lived.note("one", "maya")
    let archive = EventArchive.holding { try await lived.test.outbox() }
    // Taken, and not removed yet.
    #expect(try await lived.recovery(archive).obstacle(within: .after(milliseconds: 1_000)) == nil)
    let other = try await Service(.sqlite)
    try await other.note("another", "maya")
    #expect(try await other.recovery(archive).obstacle(within: .after(milliseconds: 1_000)) == .contested)
  }

  @Test func aRecoveryThatWasCutShortKeepsTheStoreClosedAndIsRunAgain() async throws {
    let (archive, lived, restored) = try await Self.lives(.sqlite)
    struct Cut: Error {}
    let pages = Lock(0)
    let broken = EventArchive(marks: archive.marks) { params, deadline in
      var params = params
      params.limit = 7
      guard
        pages.withLock({
          $0 += 1; return $0
        }) < 3
      else { throw Cut() }
      return try await archive.events(params, deadline)
    }
    await #expect(throws: Cut.self) { try await restored.recovery(broken).run { _ in } }
    #expect(try await restored.notes() != lived.notes())
    let again = try await restored.reopened()
    #expect(try await again.recovery(archive).obstacle(within: .after(milliseconds: 1_000)) == .restored)
    _ = try await again.recovery(archive).run { _ in }
    #expect(try await again.notes() == lived.notes())
    #expect(try await again.recovery(archive).obstacle(within: .after(milliseconds: 1_000)) == nil)
  }

  @Test func eventsThatTheArchiveLacksAreMissedOutLoud() async throws {
    let (archive, lived, restored) = try await Self.lives(.sqlite)
    let gone = try await lived.test.outbox().first { $0.subject == "a:2" && $0.seq == 3 }!.entryId
    let holed = EventArchive.holding { try await lived.test.outbox().filter { $0.entryId != gone } }
    _ = archive
    await #expect(throws: RecoveryProblem.missing(app: "app", events: 6)) {
      try await restored.recovery(holed).run { _ in }
    }
    #expect(try await restored.recovery(holed).isMarked())
  }

  @Test(arguments: StoreBackend.all) func whatWasDeletedHereStaysDeleted(_ backend: StoreBackend) async throws {
    let (archive, lived, restored) = try await Self.lives(backend)
    try await restored.test.store.write([]) { _, writes in
      writes.add("UPDATE subject_head SET state = 2 WHERE app = 'app' AND subject = 'a:1'")
      writes.add("DELETE FROM note WHERE app = 'app' AND id = 'a:1'")
    }
    _ = try await restored.recovery(archive).run { _ in }
    #expect(try await restored.notes() == lived.notes().filter { !$0.hasPrefix("app a:1 ") })
    #expect(try await restored.heads().first { $0.hasPrefix("app a:1 ") } == "app a:1 1 9 2")
  }

  @Test(arguments: StoreBackend.all) func whatWasErasedSinceTheBackupIsErasedAgain(
    _ backend: StoreBackend
  ) async throws {
    let (archive, _, restored) = try await Self.lives(backend)
    let tombstones = EventArchive(
      marks: archive.marks,
      events: { params, deadline in
        var page = try await archive.events(params, deadline)
        page.events.removeAll { $0.subject == "a:1" && $0.app == "app" }
        return page
      },
      erased: { params, _ in
        ErasedSubjects(subjects: params.app == "app" && params.subjects.contains { $0.subject == "a:1" } ? ["a:1"] : [])
      })
    let recovery = Recovery(
      restored.ledger, archive: tombstones, statements: { try $0.statements(of: Noted.self) },
      erase: { [SQLStatement("DELETE FROM note WHERE app = $1 AND id = $2", .text($0.app), .text($0.id))] })
    #expect(try await recovery.run { _ in }.erased == 1)
    #expect(try await !restored.notes().contains { $0.hasPrefix("app a:1 ") })
    #expect(try await restored.heads().contains("app a:1 1 1 2"))
    #expect(try await restored.notes().contains { $0.hasPrefix("brand a:1 ") })
  }

  /// Another replica is in the middle of taking an event of the subject.
  @Test func whatIsTakenWhileItsSubjectIsErasedAgainDoesNotStay() async throws {
    let (archive, _, restored) = try await Self.lives(.postgresql)
    _ = try await Inbox(store: restored.test.store).accept([InboxTests.event(1, "a:1")]) { _, _, _ in }
    let recovery = Recovery(
      restored.ledger,
      archive: EventArchive(
        marks: archive.marks, events: archive.events,
        erased: { params, _ in ErasedSubjects(subjects: params.app == "app" ? ["a:1"] : []) }),
      statements: { try $0.statements(of: Noted.self) },
      erase: { [SQLStatement("DELETE FROM taken WHERE app = $1 AND entry_id = $2", .text($0.app), .text($0.id))] })
    let connection = try restored.test.connect()
    try connection.execute(
      """
      SET idle_in_transaction_session_timeout = 0;
      BEGIN;
      UPDATE inbox SET seq = seq WHERE app = 'app' AND subject = '' AND source = 's';
      INSERT INTO taken (app, entry_id) VALUES ('app', 'a:1')
      """)
    let isOver = Lock(false)
    let running = Task {
      defer { isOver.withLock { $0 = true } }
      return try await recovery.run { _ in }
    }
    let observer = try restored.test.connect()
    let waits = """
      SELECT count(*) FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND application_name = 'assent-' || current_schema()
      """
    while try !isOver.withLock({ $0 }) && observer.execute(waits)[0][0] == "0" {
      try await Task.sleep(for: .milliseconds(5))
    }
    try connection.execute("COMMIT")
    #expect(try await running.value.erased == 1)
    #expect(try await restored.test.store.read(SQLStatement("SELECT 1 FROM taken")).isEmpty)
  }

  @Test func aStoreWithoutAnythingIsMadeAnewAndContinuesTheLine() async throws {
    let (archive, lived, _) = try await Self.lives(.sqlite)
    let empty = try await Service(.sqlite)
    #expect(try await empty.recovery(archive).obstacle(within: .after(milliseconds: 1_000)) == .behind)
    _ = try await empty.recovery(archive).run { _ in }
    #expect(try await empty.notes() == lived.notes())
    #expect(empty.ledger.epoch == lived.ledger.epoch + ".0001")
  }

  @Test func otherSubscribersGetWhatWasReplayedAgain() async throws {
    let lived = try await Service(.sqlite, subscribers: ["audit-service", "other-service"])
    try await lived.note("one", "maya")
    let restored = try await Service(.sqlite, subscribers: ["audit-service", "other-service"])
    _ = try await restored.recovery(.holding { try await lived.test.outbox() }).run { _ in }
    #expect(try await restored.test.outbox(for: "other-service") == lived.test.outbox(for: "other-service"))
    #expect(try await restored.test.outbox().isEmpty)
  }

  @Test(arguments: StoreBackend.all) func whatOthersToldSinceTheBackupIsTakenOnceFromTheArchive(
    _ backend: StoreBackend
  ) async throws {
    let subscriber = try await Service(backend)
    let source = try await Service(backend, subscribers: ["audit-service", "subscriber"])
    for number in 0..<5 { try await source.note("\(number)", "maya") }
    let inbox = Inbox(store: subscriber.test.store)
    let recovery = Recovery(
      subscriber.ledger, archive: .holding { try await source.test.outbox() }, statements: { _ in [] },
      sources: ["note-service"],
      take: { events in
        try await inbox.accept(events) { arrivals, _, writes in
          for arrival in arrivals {
            #expect(arrival.event.records.count == 1)
            #expect(arrival.event.replay == nil)
            writes.add(
              "INSERT INTO taken (app, entry_id) VALUES ($1, $2)", .text(arrival.event.app),
              .text(arrival.event.entryId))
          }
        }
      })
    #expect(try await recovery.catchUp(olderThan: 60_000) == 0)
    #expect(try await recovery.catchUp(olderThan: -60_000) == 5)
    #expect(try await recovery.catchUp(olderThan: -60_000) == 0)
    #expect(try await subscriber.test.store.read(SQLStatement("SELECT entry_id FROM taken")).count == 5)
  }

  /// Those of one millisecond lie in the archive in any order.
  @Test func whatOthersToldIsTakenInWhateverOrderTheArchiveHasIt() async throws {
    let subscriber = try await Service(.sqlite)
    let source = try await Service(.sqlite, subscribers: ["audit-service", "subscriber"])
    for number in 0..<5 { try await source.note("\(number)", "maya") }
    let archive = EventArchive.holding { try await source.test.outbox() }
    let backwards = EventArchive(
      marks: archive.marks,
      events: { params, deadline in
        var page = try await archive.events(params, deadline)
        page.events.sort { $0.seq > $1.seq }
        return page
      },
      erased: archive.erased)
    let inbox = Inbox(store: subscriber.test.store)
    let taken = Lock<[Int64]>([])
    let recovery = Recovery(
      subscriber.ledger, archive: backwards, statements: { _ in [] }, sources: ["note-service"],
      take: { events in
        try await inbox.accept(events) { arrivals, _, _ in taken.withLock { $0 += arrivals.map(\.event.seq) } }
      })
    #expect(try await recovery.catchUp(olderThan: -60_000) == 5)
    #expect(taken.withLock { $0 } == [1, 2, 3, 4, 5])
  }

  // MARK: Pure parts

  @Test(arguments: [
    ("01abc", "01abc.0001"), ("01abc.0001", "01abc.0002"), ("01abc.0009", "01abc.0010"), ("01abc.9999", "01abc.10000"),
  ])
  func epochsOfOneLineFollowEachOther(_ epoch: String, _ next: String) {
    #expect(StoreEpoch.successor(of: epoch) == next)
    #expect(StoreEpoch.first(ofLineOf: next) == "01abc")
    #expect(StoreEpoch.isFirst(epoch) == (epoch == "01abc"))
  }

  struct Turn: Sendable {
    var head: [Int64]?
    var generation: Int64 = 1
    var seq: Int64
    var turn: ReplayedHeads.Turn
    var isDeleted = false
  }

  static let turns = [
    Turn(head: nil, seq: 1, turn: .next), Turn(head: nil, seq: 2, turn: .early),
    Turn(head: nil, generation: 2, seq: 5, turn: .next),
    Turn(head: [1, 4, 0], seq: 4, turn: .known), Turn(head: [1, 4, 0], seq: 1, turn: .known),
    Turn(head: [1, 4, 0], seq: 5, turn: .next), Turn(head: [1, 4, 0], seq: 6, turn: .early),
    Turn(head: [1, 4, 2], seq: 5, turn: .next, isDeleted: true),
    Turn(head: [1, 4, 1], seq: 5, turn: .next, isDeleted: true),
    Turn(head: [1, 4, 2], generation: 2, seq: 7, turn: .next),
    Turn(head: [1, 4, 0], generation: 2, seq: 4, turn: .known),
  ]

  @Test(arguments: turns) func eventsAreReplayedInTurn(_ turn: Turn) {
    let subject = Subject.account("app", "maya")
    let rows = turn.head.map { SQLRows(columnCount: 3, values: $0.map { .integer($0) }) } ?? .none
    var heads = ReplayedHeads([subject], [rows])
    let event = InboxTests.event(turn.seq, generation: turn.generation)
    #expect(heads.take(event) == turn.turn)
    if turn.turn == .next {
      #expect(heads.isDeleted(event) == turn.isDeleted)
      #expect(heads.take(event) == .known)
    }
  }

  struct Arrival: Sendable {
    var before: Int64?
    var seq: Int64
    var outcome: Acceptance
  }

  /// The first events of an epoch at a subscriber that took `before` of the one before it.
  static let arrivals = [
    Arrival(before: nil, seq: 1, outcome: .applied), Arrival(before: nil, seq: 2, outcome: .gap),
    Arrival(before: 4, seq: 5, outcome: .applied), Arrival(before: 4, seq: 6, outcome: .gap),
    // The subscriber had events that the source lost: their numbers were given again.
    Arrival(before: 4, seq: 3, outcome: .applied), Arrival(before: 4, seq: 4, outcome: .applied),
  ]

  @Test(arguments: StoreBackend.all, arrivals) func anEpochContinuesTheOneBefore(
    _ backend: StoreBackend, _ arrival: Arrival
  ) async throws {
    let test = try TestStore(backend, migrations: [InboxTests.table])
    for seq in 0..<(arrival.before ?? 0) { try await InboxTests.accept(test, [InboxTests.event(seq + 1)]) }
    let first = InboxTests.event(arrival.seq, epoch: "e.0001")
    #expect(try await InboxTests.accept(test, [first]) == [arrival.outcome])
    guard arrival.outcome == .applied else { return }
    // From there on it counts by itself, also through a further one.
    #expect(
      try await InboxTests.accept(
        test,
        [
          first, InboxTests.event(arrival.seq, epoch: "e.0001", entry: "other"),
          InboxTests.event(arrival.seq + 1, epoch: "e.0001"), InboxTests.event(arrival.seq + 3, epoch: "e.0001"),
        ]) == [.duplicate, .conflict, .applied, .gap])
    #expect(
      try await InboxTests.accept(
        test, [InboxTests.event(arrival.seq + 2, epoch: "e.0002"), InboxTests.event(1, "a:else", epoch: "e.0002")])
        == [.applied, .applied])
  }
}

extension RecoveryTests.Service {
  private init(_ test: TestStore, _ ledger: Ledger) {
    self.test = test
    self.ledger = ledger
  }

  /// Another on the same store.
  func replica() async throws -> Self {
    let store = try test.replica()
    return Self(test, try await Ledger(store: store, source: "note-service", subscribers: ledger.subscribers))
  }

  /// After a restart.
  func reopened() async throws -> Self {
    try test.reopen()
    return Self(test, try await test.ledger(source: "note-service", subscribers: ledger.subscribers))
  }
}
