// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import RPC
import RPCTesting
import SQLStore
import StoreTesting
import Testing

@testable import Events

@Suite struct LedgerTests {
  static let table = Migration(
    version: 1, name: "start",
    sql: """
      CREATE TABLE note (app TEXT NOT NULL, id TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (app, id))
        STRICT, WITHOUT ROWID;
      """)
  static let maya = Subject.account("app", "maya")

  struct Params: Codable, Sendable, Equatable { var text: String }
  struct Reply: Codable, Sendable, Equatable {
    var text: String
    var revision: Int64
    var secret: String?
  }

  private func fresh(_ backend: StoreBackend = .sqlite) throws -> TestStore {
    try TestStore(backend, migrations: [Self.table])
  }

  private static func context(
    _ key: String? = nil, _ principal: Principal = Principal(kind: .user, app: "app", accountId: "maya", deviceId: "d1")
  ) -> CallContext {
    CallContext(
      principal: principal, requestId: "r", deadline: .after(milliseconds: 10_000), idempotencyKey: key)
  }

  /// Writes a note, as a service's method does.
  @discardableResult
  private static func set(
    _ ledger: Ledger, _ text: String, key: String? = nil, subject: Subject = maya, method: String = "note.set",
    principal: Principal = Principal(kind: .user, app: "app", accountId: "maya", deviceId: "d1")
  ) async throws -> Reply {
    try await ledger.write(
      subject, context(key, principal), method: method, params: Params(text: text),
      reads: [SQLStatement("SELECT text FROM note WHERE app = $1 AND id = $2", .text(subject.app), .text(subject.id))],
      stored: { Reply(text: $0.text, revision: $0.revision) }
    ) { rows, change in
      if text == "refused" { throw RPCError.failedPrecondition("not this", reason: "refused") }
      if rows[0].first?.text(0) == text {
        return Reply(text: text, revision: change.leaveUnchanged())
      }
      change.write(
        """
        INSERT INTO note (app, id, text) VALUES ($1, $2, $3)
        ON CONFLICT (app, id) DO UPDATE SET text = excluded.text
        """, .text(subject.app), .text(subject.id), .text(text))
      change.record("note.set", facts: ["length": .integer(Int64(text.count))], personal: ["text": .string(text)])
      return Reply(text: text, revision: change.head.seq, secret: "s3cret")
    }
  }

  private static func events(_ test: TestStore, for subscriber: String = "audit-service") async throws -> [Event] {
    try await Outbox(test.store).rows("app", for: subscriber, after: 0, of: 0, before: .max, limit: 1000)
      .map { try JSON.decode(Event.self, from: $0.event) }
  }

  private static func note(_ test: TestStore) async throws -> String? {
    try await test.store.read(SQLStatement("SELECT text FROM note WHERE app = 'app' AND id = 'a:maya'")).first?.text(0)
  }

  @Test(arguments: StoreBackend.all) func aWriteCountsItsSubjectAndLeavesOneEvent(
    _ backend: StoreBackend
  ) async throws {
    let test = try fresh(backend)
    let ledger = try await test.ledger(source: "note-service", subscribers: ["audit-service", "other-service"])
    #expect(try await Self.set(ledger, "one").revision == 1)
    #expect(try await Self.set(ledger, "two").revision == 2)
    #expect(try await Self.set(ledger, "else", subject: .device("app", "d9")).revision == 1)

    let events = try await Self.events(test)
    #expect(events.map(\.subject) == ["a:maya", "a:maya", "d:d9"])
    #expect(events.map(\.seq) == [1, 2, 1])
    #expect(events.map(\.generation) == [1, 1, 1])
    #expect(events.allSatisfy { $0.source == "note-service" && $0.epoch == ledger.epoch && $0.app == "app" })
    #expect(events.allSatisfy { $0.entryId == $0.records[0].entryId && $0.kind == "note.set" })
    #expect(events[1].records[0].facts == ["length": 3])
    #expect(
      events[1].records[0].personal == ["text": "two", "accountId": "maya", "deviceId": "d1", "actor": "person"])
    // What the write left in the service's own tables is for audit-service alone.
    #expect(events.allSatisfy { $0.replay != nil })
    #expect(try await Self.events(test, for: "other-service") == events.map(\.withoutReplay))
  }

  @Test(arguments: StoreBackend.all) func aWriteThatChangesNothingLeavesNothing(_ backend: StoreBackend) async throws {
    let test = try fresh(backend)
    let ledger = try await test.ledger()
    try await Self.set(ledger, "one")
    let same = try await Self.set(ledger, "one")
    #expect(same == Reply(text: "one", revision: 1))
    #expect(try await Self.events(test).count == 1)
    #expect(try await Self.set(ledger, "two").revision == 2)
  }

  @Test(arguments: StoreBackend.all) func aRefusalLeavesNothingAndTheSeqIsUsedByTheNext(
    _ backend: StoreBackend
  ) async throws {
    let test = try fresh(backend)
    let ledger = try await test.ledger()
    let error = await #expect(throws: RPCError.self) { try await Self.set(ledger, "refused") }
    #expect(error?.reason == "refused")
    #expect(try await Self.events(test).isEmpty)
    #expect(try await Self.set(ledger, "one").revision == 1)
  }

  @Test(arguments: StoreBackend.all) func theSameKeyAndParamsGiveTheFirstOutcomeWithoutItsSecrets(
    _ backend: StoreBackend
  ) async throws {
    let test = try fresh(backend)
    let ledger = try await test.ledger()
    #expect(try await Self.set(ledger, "one", key: "k") == Reply(text: "one", revision: 1, secret: "s3cret"))
    try await Self.set(ledger, "two")
    #expect(try await Self.set(ledger, "one", key: "k") == Reply(text: "one", revision: 1))
    #expect(try await Self.note(test) == "two")
    #expect(try await Self.events(test).count == 2)
  }

  @Test(arguments: StoreBackend.all) func theSameKeyWithOtherParamsIsRefused(_ backend: StoreBackend) async throws {
    let test = try fresh(backend)
    let ledger = try await test.ledger()
    try await Self.set(ledger, "one", key: "k")
    let error = await #expect(throws: RPCError.self) { try await Self.set(ledger, "two", key: "k") }
    #expect(error?.code == .failedPrecondition)
    #expect(error?.reason == "idempotencyKeyReused")
    #expect(try await Self.note(test) == "one")
  }

  @Test(arguments: StoreBackend.all) func aKeyIsOfItsCallerSubjectAndMethod(_ backend: StoreBackend) async throws {
    let test = try fresh(backend)
    let ledger = try await test.ledger()
    try await Self.set(ledger, "one", key: "k")
    let desk = Principal(kind: .key, app: "app", name: "desk")
    #expect(try await Self.set(ledger, "two", key: "k", principal: desk).revision == 2)
    #expect(try await Self.set(ledger, "three", key: "k", method: "note.other").revision == 3)
    #expect(try await Self.set(ledger, "four", key: "k", subject: .account("app", "noah")).revision == 1)
    #expect(try await Self.set(ledger, "five", key: "k", subject: .account("other", "maya")).revision == 1)
  }

  @Test(arguments: StoreBackend.all) func aRefusedRequestRunsAgainUnderItsKey(_ backend: StoreBackend) async throws {
    let test = try fresh(backend)
    let ledger = try await test.ledger()
    await #expect(throws: RPCError.self) { try await Self.set(ledger, "refused", key: "k") }
    #expect(try await Self.set(ledger, "one", key: "k").revision == 1)
  }

  @Test(arguments: StoreBackend.all) func sixtyFourRepeatsAtOnceHappenOnce(_ backend: StoreBackend) async throws {
    let test = try fresh(backend)
    let ledger = try await test.ledger()
    let revisions = try await withThrowingTaskGroup(of: Int64.self) { group in
      for _ in 0..<64 { group.addTask { try await Self.set(ledger, "one", key: "k").revision } }
      return try await group.reduce(into: Set<Int64>()) { $0.insert($1) }
    }
    #expect(revisions == [1])
    #expect(try await Self.events(test).count == 1)
  }

  @Test(arguments: StoreBackend.all) func keysThatGatewaysCountAreEachTheirOwn(_ backend: StoreBackend) async throws {
    let test = try fresh(backend)
    let ledger = try await test.ledger()
    // Two gateways count to the same number; a number too large for a place, and none at all, lie by their hash.
    let keys = [
      "gateway-a-1f", "gateway-b-1f", "gateway-a-20", "gateway-a-1ffffffffffffffff", "gateway-a-", "gateway-",
    ]
    for (index, key) in keys.enumerated() {
      #expect(try await Self.set(ledger, key, key: key).revision == Int64(index + 1))
    }
    for (index, key) in keys.enumerated() {
      #expect(try await Self.set(ledger, key, key: key).revision == Int64(index + 1))
    }
    #expect(try await Self.events(test).count == keys.count)
  }

  @Test(arguments: StoreBackend.all) func aKeyIsForgottenAfterADay(_ backend: StoreBackend) async throws {
    let test = try fresh(backend)
    let clock = TestWallClock(milliseconds: 1_000_000)
    let ledger = try await test.ledger(clock: clock)
    try await Self.set(ledger, "one", key: "k")
    clock.advance(milliseconds: IdempotentRequest.keptMilliseconds - 1)
    #expect(try await IdempotencySweep(ledger: ledger).sweep() == 0)
    #expect(try await Self.set(ledger, "one", key: "k").revision == 1)
    clock.advance(milliseconds: 1)
    // The record is still there, and counts no more.
    #expect(try await Self.set(ledger, "two", key: "k").revision == 2)
    clock.advance(milliseconds: IdempotentRequest.keptMilliseconds)
    #expect(try await IdempotencySweep(ledger: ledger).sweep() == 1)
  }

  @Test(arguments: StoreBackend.all) func aDeletedSubjectTakesNoWrite(_ backend: StoreBackend) async throws {
    let test = try fresh(backend)
    let ledger = try await test.ledger()
    try await Self.set(ledger, "one")
    try await test.store.write([]) { _, writes in writes.add("UPDATE subject_head SET state = 1") }
    let error = await #expect(throws: RPCError.self) { try await Self.set(ledger, "two") }
    #expect(error?.code == .failedPrecondition)
    #expect(error?.reason == "subjectDeleted")
    #expect(try await Self.note(test) == "one")
  }

  @Test(arguments: StoreBackend.all) func aReturnedSubjectInheritsNoKeyOfItsFormerSelf(
    _ backend: StoreBackend
  ) async throws {
    let test = try fresh(backend)
    let ledger = try await test.ledger()
    try await Self.set(ledger, "one", key: "k")
    try await test.store.write([]) { _, writes in writes.add("UPDATE subject_head SET generation = 2") }
    #expect(try await Self.set(ledger, "two", key: "k").revision == 2)
    #expect(try await Self.set(ledger, "two", key: "k").revision == 2)
    #expect(try await Self.events(test).map(\.generation) == [1, 2])
  }

  @Test(arguments: StoreBackend.all) func aWriteOfSeveralSubjectsLeavesAnEventOfEach(
    _ backend: StoreBackend
  ) async throws {
    let test = try fresh(backend)
    let ledger = try await test.ledger()
    let device = Subject.device("app", "d1")
    let heads = try await ledger.write(
      Self.maya, also: [device, Self.maya], Self.context(), method: "note.link", params: Params(text: "")
    ) { _, change in
      change.record("linked", facts: [:])
      change.record("adopted", facts: [:], on: device)
      change.payload = ["by": "maya"]
      return [change.heads[Self.maya]!.seq, change.heads[device]!.seq]
    }
    #expect(heads == [1, 1])
    let events = try await Self.events(test)
    #expect(events.map(\.subject) == ["a:maya", "d:d1"])
    #expect(events.map(\.kind) == ["linked", "adopted"])
    #expect(events.map(\.payload) == [["by": "maya"], nil])
  }

  @Test(arguments: StoreBackend.all) func anEventWithoutRecordsHasAnIdOfItsOwn(_ backend: StoreBackend) async throws {
    let test = try fresh(backend)
    let ledger = try await test.ledger()
    _ = try await ledger.write(Self.maya, Self.context(), method: "note.touch", params: Empty()) { _, _ in Empty() }
    let event = try #require(try await Self.events(test).first)
    #expect(event.kind == "changed")
    #expect(event.entryId.utf8.count == 26)
  }

  @Test(arguments: StoreBackend.all) func aCallThatNobodyWaitsForIsNotMade(_ backend: StoreBackend) async throws {
    let test = try fresh(backend)
    let ledger = try await test.ledger()
    var context = Self.context()
    context.deadline = Deadline(uptimeNanoseconds: 1)
    let late = context
    let error = await #expect(throws: RPCError.self) {
      _ = try await ledger.write(Self.maya, late, method: "m", params: Empty()) { _, _ in Empty() }
    }
    #expect(error?.code == .deadlineExceeded)
    #expect(try await Self.events(test).isEmpty)
  }

  @Test func aStoreThatIsGoneIsUnavailableAndNothingWasProcessed() async throws {
    let test = try fresh()
    let ledger = try await test.ledger()
    test.store.close()
    let write = await #expect(throws: RPCError.self) { try await Self.set(ledger, "one") }
    #expect(write?.code == .unavailable)
    #expect(write?.processed == RPCError.Processed.no)
    #expect(write?.retryable == true)
    let read = await #expect(throws: RPCError.self) { try await ledger.read([Ledger.headStatement(Self.maya)]) }
    #expect(read?.code == .unavailable)
  }

  @Test(arguments: [
    (SQLStoreError.Kind.unavailable, ErrorCode.unavailable, RPCError.Processed.no, true),
    (.outcomeUnknown, .unavailable, .unknown, true), (.conflict, .aborted, .no, true),
    (.failed, .internalError, .no, false),
  ])
  func storeErrorsAreTold(
    kind: SQLStoreError.Kind, code: ErrorCode, processed: RPCError.Processed, retryable: Bool
  ) {
    let error = RPCError(SQLStoreError(kind, "UNIQUE constraint failed: person.name"))
    #expect(error.code == code)
    #expect(error.processed == processed)
    #expect(error.retryable == retryable)
    #expect(!error.message.contains("person"))
  }

  @Test func aHandlerMayLetAStoreErrorThrough() async throws {
    let method = Method<Empty, Empty>("test.read", "Reads.", .anyone)
    let test = try fresh()
    var router = MethodRouter()
    router.on(method) { _, _ in
      _ = try await test.store.read(SQLStatement("SELECT 1"))
      return Empty()
    }
    let client = RPCClient(InProcessTransport(Dispatcher(router, title: "test")), as: "test")
    _ = try await client.call(method, Empty(), deadline: .after(milliseconds: 20_000))
    test.store.close()
    let error = await #expect(throws: RPCError.self) {
      try await client.call(method, Empty(), deadline: .after(milliseconds: 20_000))
    }
    #expect(error?.code == .unavailable)
    #expect(error?.reason == "storeUnavailable")
  }

  @Test func theEpochBelongsToTheStore() async throws {
    let test = try fresh()
    let first = try await test.ledger().epoch
    #expect(try await test.ledger().epoch == first)
    try test.reopen()
    #expect(try await test.ledger().epoch == first)
    #expect(try await fresh().ledger().epoch != first)
  }

  @Test func positionsGoOnAfterARestartWhateverTheClockSays() async throws {
    let test = try fresh()
    try await Self.set(try await test.ledger(clock: TestWallClock(milliseconds: 5_000)), "one")
    try test.reopen()
    try await Self.set(try await test.ledger(clock: TestWallClock(milliseconds: 1_000)), "two")
    #expect(try await Self.events(test).map(\.seq) == [1, 2])
  }
}
