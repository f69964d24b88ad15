// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Events
import JSONRPC
import Logging
import Metrics
import RPC
import RPCTesting
import SQLStore
@testable import ServiceHost
import SettingsContracts
import StoreTesting
import Testing
import Threading

/// A service whose store is good again is served from, whatever fails in that moment.
@Suite(.timeLimit(.minutes(2))) struct StoreGuardTests {
  /// A service whose store says that it was restored.
  private final class Restored: Sendable {
    let test: TestStore
    let store: FlakyStore
    let health = Health()
    let client: RPCClient
    let relays = Lock(0)
    private let storeGuard: StoreGuard

    /// - Parameter failures: how often its first writes fail.
    init(beginFails failures: Int = 0) async throws {
      test = try TestStore()
      store = FlakyStore(test.store)
      let ledger = try await Ledger(store: store, source: "note-service", subscribers: ["audit-service"])
      try await store.write([]) { _, writes in writes.add(RestoreMark.marking) }
      let left = Lock(failures)
      storeGuard = StoreGuard(
        of: "note-service", Recovery(ledger, archive: .holding { [] }, statements: { _ in [] }), health,
        Logger(program: "test", output: { _ in }), MetricsRegistry()
      ) {
        let fails = left.withLock { left in
          defer { left -= 1 }
          return left > 0
        }
        if fails { throw SQLStoreError(.unavailable, "away for a moment") }
      }
      var router = MethodRouter()
      storeGuard.register(on: &router)
      client = RPCClient(
        InProcessTransport(Dispatcher(router, title: "note-service", health: health), peer: .operator), as: "test")
      health.setOpening()
      try await storeGuard.open()
      #expect(health.closedBecause?.reason == "restoredNotRecovered")
    }

    /// Runs `body` beside the half-minute look, which is quicker while a service is closed.
    func running(_ body: () async throws -> Void) async throws {
      let task = Task.detached { [storeGuard, relays] in
        await storeGuard.run {
          relays.withLock { $0 += 1 }
          while !Task.isCancelled { try? await Task.sleep(for: .seconds(60)) }
        }
      }
      do { try await body() } catch {
        task.cancel()
        throw error
      }
      task.cancel()
      await task.value
    }

    func recover() async throws -> RecoverResult {
      try await client.call(RecoverMethods.recover, Empty(), deadline: .after(milliseconds: 20_000), CallMetadata())
    }

    func untilServing() async throws {
      let end = Deadline.after(milliseconds: 20_000)
      while health.status != .serving {
        try #require(!end.isPast, "not serving: \(String(describing: health.closedBecause))")
        try await Task.sleep(for: .milliseconds(5))
      }
    }
  }

  @Test(arguments: [0, 1, 3]) func `first writes that fail after a recovery are made again`(
    _ failures: Int
  ) async throws {
    let service = try await Restored(beginFails: failures)
    try await service.running {
      #expect(try await service.recover().state == .running)
      try await service.untilServing()
      // Whoever asks hears of the recovery's end, and not of what failed behind it.
      while try await service.recover().state == .running { await Task.yield() }
      #expect(try await service.recover().state == .notNeeded)
      while service.relays.withLock({ $0 }) == 0 { await Task.yield() }
    }
    #expect(service.health.closedBecause == nil)
  }

  @Test(arguments: [0, 1, 3]) func `a store that fails when another replica has recovered it is looked at again`(
    _ failures: Int
  ) async throws {
    let service = try await Restored()
    let other = try await Ledger(store: service.test.store, source: "note-service", subscribers: ["audit-service"])
    _ = try await Recovery(other, archive: .holding { [] }, statements: { _ in [] }).run { _ in }
    service.store.fail(failures)
    try await service.running { try await service.untilServing() }
    #expect(service.store.isWell)
  }
}
