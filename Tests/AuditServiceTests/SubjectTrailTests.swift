// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Events
import JSONRPC
import RPC
import SQLStore
import SettingsContracts
import StoreTesting
import Testing

@testable import AuditService

/// Logs longer than what is filed at a time, 4096 entries: a subject's are found wherever they stand.
struct SubjectTrailTests {
  static let subjects = ["a:u", "a:v", "d:w"]

  /// The entry at an index. Times run to and fro, and many share one.
  static func event(_ index: Int) -> Event {
    .of(
      subjects[index % 3], Int64(index / 3 + 1), minutes: Int64(index * 7919 % 1009),
      facts: ["category": .string(category(index)), "status": "granted"], entryId: "e\(index)")
  }

  static func category(_ index: Int) -> String { index % 1500 == 0 ? "rare" : index % 2 == 0 ? "even" : "odd" }

  /// Delivers the entries from one index to another, in batches that end beside the multiples of 4096.
  static func fill(_ audit: RunningAudit, _ indexes: Range<Int>) async throws {
    var first = indexes.lowerBound
    while first < indexes.upperBound {
      let end = min(first + 250, indexes.upperBound)
      try await audit.deliver((first..<end).map(event))
      first = end
    }
  }

  /// All pages.
  static func listed(_ audit: RunningAudit, _ params: AuditEntriesParams) async throws -> [String] {
    var ids: [String] = []
    var params = params
    repeat {
      let page = try await audit.entries(params)
      ids += page.items.map(\.entryId)
      params.cursor = page.nextCursor
    } while params.cursor != nil
    return ids
  }

  /// Those of the log's first entries that a list shows, newest first.
  static func expected(_ size: Int, where isIncluded: (Int) -> Bool) -> [String] {
    (0..<size).filter(isIncluded).sorted { ($0 * 7919 % 1009, $0) > ($1 * 7919 % 1009, $1) }.map { "e\($0)" }
  }

  static func check(_ audit: RunningAudit, _ size: Int) async throws {
    let ofU = AuditEntriesParams(accountId: "u", limit: 200)
    #expect(try await listed(audit, ofU) == expected(size) { $0 % 3 == 0 }, "all of \(size)")
    var rare = ofU
    rare.category = "rare"
    #expect(try await listed(audit, rare) == expected(size) { $0 % 1500 == 0 }, "rare of \(size)")
    var recent = AuditEntriesParams(deviceId: "w", from: RunningAudit.noon + 800 * 60_000, limit: 7)
    recent.category = "even"
    let isRecent = { (index: Int) in index % 3 == 2 && category(index) == "even" && index * 7919 % 1009 >= 800 }
    #expect(try await listed(audit, recent) == expected(size, where: isRecent), "recent of \(size)")
    let current = try await audit.call(
      AuditMethods.currentDecisions, CurrentDecisionsParams(accountId: "v"), as: .admin)
    let newest = ["even", "odd"].map { name in (0..<size).last { $0 % 3 == 1 && category($0) == name }! }
    #expect(current.items.map(\.entryId) == newest.map { "e\($0)" }, "current of \(size)")
  }

  @Test
  func `the entries of a subject are found before and after they are filed`() async throws {
    let audit = try await RunningAudit()
    var size = 0
    for next in [4_095, 4_096, 4_097, 8_300] {
      try await Self.fill(audit, size..<next)
      size = next
      try await Self.check(audit, size)
    }
    if audit.test.store.logsWholePages {
      let filed = try await audit.test.store.read(SQLStatement("SELECT COUNT(*), MAX(idx) FROM audit_trail"))[0]
      #expect(filed.int(0) == 8_192 && filed.int(1) == 8_191)
    }
  }

  @Test
  func `a log from before is filed when its store is brought up to date`() async throws {
    let test = try TestStore(.sqlite, migrations: AuditService.migrations)
    let audit = try await RunningAudit(test)
    try await Self.fill(audit, 0..<5_000)
    await audit.stop()
    try await test.store.write([]) { _, writes in
      writes.add("CREATE INDEX audit_entry_subject ON audit_entry (app, subject, timestamp, idx)")
      writes.add("DROP TABLE audit_trail")
      writes.add("DELETE FROM schema_migration WHERE component = 'service' AND version = 4")
    }
    try test.reopen().migrate(Ledger.migrations + AuditService.migrations)
    let again = try await RunningAudit(test)
    try await Self.check(again, 5_000)
    try await Self.fill(again, 5_000..<8_200)
    try await Self.check(again, 8_200)
  }
}
