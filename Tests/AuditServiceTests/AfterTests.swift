// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import RPC
import SettingsContracts
import StoreTesting
import Synchronization
import Testing

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
    async let found = waiters.wait(for: key, until: .after(milliseconds: 20_000)) {
      looks.add(1, ordering: .relaxed)
      return isIn.load(ordering: .acquiring)
    }
    while looks.load(ordering: .relaxed) == 0 { await Task.yield() }
    isIn.store(true, ordering: .releasing)
    waiters.arrived([EntryWaiters.Key(app: "other", entryId: "e1"), key])
    #expect(try await found)
    #expect(waiters.count == 0)
  }

  @Test
  func `an arrival between the look and the sleep is not missed`() async throws {
    let waiters = EntryWaiters()
    let key = EntryWaiters.Key(app: "default", entryId: "e1")
    let looks = Atomic<Int>(0)
    let found = try await waiters.wait(for: key, until: .after(milliseconds: 20_000)) {
      if looks.add(1, ordering: .relaxed).newValue > 1 { return true }
      waiters.arrived([key])
      return false
    }
    #expect(found && looks.load(ordering: .relaxed) == 2)
  }

  @Test
  func `a waiter that is cancelled ends at once`() async throws {
    let waiters = EntryWaiters()
    let task = Task {
      try await waiters.wait(
        for: EntryWaiters.Key(app: "default", entryId: "e1"), until: .after(milliseconds: 30_000)
      ) { false }
    }
    while waiters.count == 0 { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(waiters.count == 0)
  }
}
