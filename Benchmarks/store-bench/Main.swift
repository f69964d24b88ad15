// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import Glibc
internal import JSONRPC
internal import RPC
internal import SQLStore
internal import SQLStoreSQLite
internal import Synchronization

/// Measures the store by itself: `store-bench FOLDER [SECONDS [PART]]` prints writes and reads a second, of the
/// parts whose name begins with PART.
@main struct Main {
  static let table = Migration(
    version: 1, name: "start",
    sql: """
      CREATE TABLE decision (app TEXT NOT NULL, account TEXT NOT NULL, category TEXT NOT NULL, granted BIGINT NOT NULL,
        at BIGINT NOT NULL, PRIMARY KEY (app, account, category)) STRICT, WITHOUT ROWID;
      """)

  static let part = CommandLine.arguments.count > 3 ? CommandLine.arguments[3] : ""

  struct Params: Codable, Sendable {
    var accountId: String
    var category: String
    var granted: Bool
  }
  struct Reply: Codable, Sendable {
    var revision: Int64
    var granted: Bool
  }

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 2 else {
      print("usage: store-bench FOLDER [SECONDS [PART]]")
      exit(2)
    }
    let path = arguments[1] + "/store-bench.db"
    let seconds = arguments.count > 2 ? Double(arguments[2]) ?? 3 : 3
    for suffix in ["", "-wal", "-shm", "-lock"] { unlink(path + suffix) }
    let store = try SQLiteStore(path: path)
    try store.migrate(Ledger.migrations + [table])
    let ledger = try await Ledger(store: store, source: "bench")

    for callers in [1, 64, 256] {
      try await measure("plain write, 1 row", callers, seconds, store) { number in
        try await store.write([]) { _, writes in
          writes.add(
            """
            INSERT INTO decision (app, account, category, granted, at) VALUES ('plain', $1, 'analytics', $2, $3)
            ON CONFLICT (app, account, category) DO UPDATE SET granted = excluded.granted, at = excluded.at
            """, .text("account-\(number % 5_000)"), SQLValue(number & 1), SQLValue(number))
        }
      }
      try await measure("ledger write", callers, seconds, store) { number in
        let account = "account-\(number % 5_000)"
        let params = Params(accountId: account, category: "analytics", granted: number & 1 == 0)
        let context = CallContext(
          principal: Principal(kind: .user, app: "default", accountId: account, deviceId: "device"), requestId: "r",
          deadline: .after(milliseconds: 5_000), idempotencyKey: "key-\(callers)-\(number)")
        _ = try await ledger.write(
          .account("default", account), context, method: "consent.decide", params: params,
          reads: [
            SQLStatement(
              "SELECT category, granted, at FROM decision WHERE app = 'default' AND account = $1", .text(account))
          ]
        ) { rows, change in
          change.write(
            """
            INSERT INTO decision (app, account, category, granted, at) VALUES ('default', $1, $2, $3, $4)
            ON CONFLICT (app, account, category) DO UPDATE SET granted = excluded.granted, at = excluded.at
            """, .text(account), .text(params.category), SQLValue(params.granted), SQLValue(change.now))
          change.record(
            "consent.granted",
            facts: [
              "category": .string(params.category), "regulation": "gdpr", "policyVersion": 3, "method": "save",
            ], personal: ["appVersion": "2.1.0", "osVersion": "18.2"])
          return Reply(revision: change.head.seq, granted: params.granted)
        }
      }
    }
    try await reads(store)
    try await inbox(store, seconds)
    store.close()
  }

  static func measure(
    _ name: String, _ callers: Int, _ seconds: Double, _ store: SQLiteStore,
    _ body: @escaping @Sendable (Int) async throws -> Void
  ) async throws {
    guard "\(name), \(callers)".hasPrefix(part) else { return }
    let numbers = Numbers()
    let before = store.statistics
    let cpuBefore = clock()
    let start = ContinuousClock.now
    let end = start + .seconds(seconds)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<callers {
        group.addTask {
          while ContinuousClock.now < end { try await body(numbers.next()) }
        }
      }
      try await group.waitForAll()
    }
    let elapsed = Double((ContinuousClock.now - start) / .milliseconds(1)) / 1000
    let after = store.statistics
    let writes = after.writes - before.writes
    let cpu = Double(clock() - cpuBefore) / Double(CLOCKS_PER_SEC) * 1e6 / Double(writes)
    print(
      "\(name), \(callers) callers: \(Int(Double(writes) / elapsed))/s, \(writes / (after.commits - before.commits)) per commit, \(tenths(cpu)) us CPU each"
    )
  }

  static func inbox(_ store: SQLiteStore, _ seconds: Double) async throws {
    guard "inbox".hasPrefix(part) else { return }
    let inbox = Inbox(store: store)
    let end = ContinuousClock.now + .seconds(seconds)
    let start = ContinuousClock.now
    var taken = 0
    while ContinuousClock.now < end {
      let events = (0..<256).map { offset in
        let number = taken + offset
        return Event(
          source: "bench", epoch: "e", app: "default", subject: "a:\(number % 5_000)", generation: 1,
          seq: Int64(number / 5_000 + 1), entryId: "entry-\(number)", kind: "k", records: [])
      }
      let outcomes = try await inbox.accept(events) { arrivals, _, writes in
        for arrival in arrivals {
          writes.add(
            """
            INSERT INTO decision (app, account, category, granted, at) VALUES ('inbox', $1, 'x', 1, $2)
            ON CONFLICT (app, account, category) DO UPDATE SET at = excluded.at
            """, .text(arrival.event.subject), .integer(arrival.event.seq))
        }
      }
      precondition(outcomes.allSatisfy { $0 == .applied }, "an event was not applied")
      taken += 256
    }
    let elapsed = Double((ContinuousClock.now - start) / .milliseconds(1)) / 1000
    print("inbox, batches of 256, 1 row each: \(Int(Double(taken) / elapsed)) events/s")
  }

  static func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }

  static func reads(_ store: SQLiteStore) async throws {
    guard "point read".hasPrefix(part) else { return }
    for inTurns in [false, true] {
      let count = 300_000
      let start = ContinuousClock.now
      for number in 0..<count {
        if inTurns, number % 64 == 0 { store.turnEnded() }
        _ = try await store.read(
          SQLStatement(
            "SELECT granted, at FROM decision WHERE app = 'plain' AND account = $1 AND category = 'analytics'",
            .text("account-\(number &* 7919 % 5_000)")))
      }
      let micros = Double((ContinuousClock.now - start) / .nanoseconds(1)) / 1000 / Double(count)
      print("point read, \(inTurns ? "64 a turn" : "alone"): \(tenths(micros)) us")
    }
  }
}

/// 1, 2, 3 … from any thread.
private final class Numbers: Sendable {
  private let last = Atomic<Int>(0)
  func next() -> Int { last.add(1, ordering: .relaxed).newValue }
}
