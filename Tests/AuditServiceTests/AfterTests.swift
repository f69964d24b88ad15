// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import RPC
import SettingsContracts
import StoreTesting
import Synchronization
import Testing
import Threading

@testable import AuditService

struct AfterTests {
  static let ids = ["01jexamp1e0000000000000001", "01jexamp1e0000000000000002"]

  @Test(arguments: [
    "", "nope", "01jexamp1e000000000000000L", "01lexamp1e0000000000000001", String(repeating: "x", count: 100_000),
  ])
  func `what can be the id of no entry is refused at once`(_ text: String) async throws {
    let audit = try await RunningAudit()
    await #expect {
      try await audit.entries(AuditEntriesParams(accountId: "u", after: text))
    } throws: {
      ($0 as? RPCError)?.code == .invalidParams && ($0 as? RPCError)?.field == "after"
    }
  }

  @Test
  func `an entry that is in is not waited for`() async throws {
    let audit = try await RunningAudit()
    try await audit.deliver([.of("a:u", 1, entryId: Self.ids[0])])
    #expect(try await audit.entries(AuditEntriesParams(accountId: "u", after: Self.ids[0])).items.count == 1)
  }

  @Test
  func `a caller that waits is answered when the entry comes`() async throws {
    let audit = try await RunningAudit()
    async let page = audit.entries(AuditEntriesParams(accountId: "u", after: Self.ids[1]))
    try await audit.deliver([.of("a:u", 1, entryId: Self.ids[0])])
    try await audit.deliver([.of("a:u", 2, entryId: Self.ids[1])])
    #expect(try await page.items.map(\.entryId) == [Self.ids[1], Self.ids[0]])
  }

  @Test
  func `an entry that does not come in time is UNAVAILABLE and may be tried again`() async throws {
    let audit = try await RunningAudit()
    try await audit.deliver([.of("a:u", 1, app: "other", entryId: Self.ids[1])])
    let key = try AuditKey([UInt8](repeating: 1, count: 32))
    let search = EntrySearch(reader: EntryReader(store: audit.test.store, key: key), waiters: EntryWaiters())
    for entryId in Self.ids {
      let context = CallContext(principal: .admin, requestId: "r", deadline: .after(milliseconds: 50))
      await #expect {
        try await search.wait(for: entryId, context)
      } throws: { error in
        let error = error as? RPCError
        return error?.code == .unavailable && error?.reason == "entryPending" && error?.retryable == true
          && error?.processed == .no
      }
    }
  }

  @Test
  func `waiters look once, then sleep until they are woken`() async throws {
    let waiters = EntryWaiters()
    let key = EntryWaiters.Key(app: "default", entryId: "e1")
    let looks = Atomic<Int>(0)
    let isIn = Atomic<Bool>(false)
    async let found = waiters.wait(for: key, by: "u", until: .after(milliseconds: 20_000)) {
      looks.add(1, ordering: .relaxed)
      return isIn.load(ordering: .acquiring)
    }
    while looks.load(ordering: .relaxed) == 0 { await Task.yield() }
    isIn.store(true, ordering: .releasing)
    waiters.arrived([EntryWaiters.Key(app: "other", entryId: "e1"), key])
    #expect(try await found == .stored)
    #expect(waiters.count == 0)
  }

  @Test
  func `an arrival between the look and the sleep is not missed`() async throws {
    let waiters = EntryWaiters()
    let key = EntryWaiters.Key(app: "default", entryId: "e1")
    let looks = Atomic<Int>(0)
    let found = try await waiters.wait(for: key, by: "u", until: .after(milliseconds: 20_000)) {
      if looks.add(1, ordering: .relaxed).newValue > 1 { return true }
      waiters.arrived([key])
      return false
    }
    #expect(found == .stored && looks.load(ordering: .relaxed) == 2)
  }

  @Test
  func `a waiter that is cancelled ends at once`() async throws {
    let waiters = EntryWaiters()
    let task = Task {
      try await waiters.wait(
        for: EntryWaiters.Key(app: "default", entryId: "e1"), by: "u", until: .after(milliseconds: 30_000)
      ) { false }
    }
    while waiters.count == 0 { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(waiters.count == 0)
  }

  @Test
  func `each caller may hold as many places as are free, so one is left for the next`() {
    var places = WaitingPlaces(256)
    func fill(_ caller: String) -> Int {
      var count = 0
      while places.take(caller) { count += 1 }
      return count
    }
    #expect(fill("a") == 128)
    #expect(fill("b") == 64)
    #expect(fill("c") == 32)
    #expect(fill("a") == 0)
    for _ in 0..<128 { places.giveBack("a") }
    #expect(places.free == 160)
    #expect(fill("d") == 80)
  }

  @Test
  func `who finds no place is told at once, unless the entry is in, and places are given back`() async throws {
    let waiters = EntryWaiters(places: 2)
    let key = EntryWaiters.Key(app: "default", entryId: "e1")
    func wait(by caller: String, isStored: Bool = false) async throws -> EntryWaiters.Outcome {
      try await waiters.wait(for: key, by: caller, until: .after(milliseconds: 30_000)) { isStored }
    }
    let first = Task { try await wait(by: "a") }
    while waiters.count == 0 { await Task.yield() }
    #expect(try await wait(by: "a") == .refused)
    #expect(try await wait(by: "a", isStored: true) == .stored)
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    let second = Task { try await wait(by: "a") }
    while waiters.count == 0 { await Task.yield() }
    let other = Task { try await wait(by: "b") }
    while waiters.count < 2 { await Task.yield() }
    for task in [second, other] {
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `nine devices that wait for what never comes are refused, and a person beside them is not`() async throws {
    let audit = try await RunningAudit()
    let refusals = Lock<[RPCError]>([])
    let waiting = (0..<9 * 100).map { number in
      Task {
        do {
          _ = try await audit.entries(AuditEntriesParams(after: Self.ids[1]), as: .device("d\(number % 9)"))
        } catch let error as RPCError {
          refusals.withLock { $0.append(error) }
        }
      }
    }
    while refusals.withLock({ $0.count }) < 9 * 100 - EntryWaiters.places { await Task.yield() }
    for refusal in refusals.withLock({ $0 }) {
      #expect(refusal.code == .resourceExhausted, "\(refusal.message)")
      #expect(refusal.reason == "entryWaiters")
      #expect(refusal.processed == .no)
      #expect(refusal.retryAfterMs == 250)
    }
    async let page = audit.entries(AuditEntriesParams(after: Self.ids[0]), as: .person("u"))
    try await audit.deliver([.of("a:u", 1, entryId: Self.ids[0])])
    #expect(try await page.items.count == 1)
    for task in waiting { task.cancel() }
    for task in waiting { _ = await task.result }
  }
}
