// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Events
import JSONRPC
import RPC
import SQLStore
import SettingsContracts
import StoreTesting
import Testing

@testable import AuditService

struct ExportTests {
  static func export(
    _ audit: RunningAudit, _ params: AuditExportParams = AuditExportParams(), as principal: Principal = .admin,
    key: String? = nil
  ) async throws -> AuditExport {
    try await audit.call(AuditMethods.export, params, as: principal, key: key)
  }

  @Test
  func `an export begins with its own entry`() async throws {
    let audit = try await EntriesTests.audit()
    let export = try await Self.export(audit, as: .person("maya"))
    let entries = try JSON.decode([AuditEntry].self, from: export.content)
    #expect(export.count == 6 && entries.count == 6 && export.nextCursor == nil)
    let own = entries[0]
    #expect(own.entryId == export.entryId && own.kind == "audit.exported" && own.source == "audit-service")
    #expect(own.accountId == "maya" && own.actor == "person" && own.details?["format"] == "json")
    #expect(entries.dropFirst().map(\.entryId) == ["e5", "e4", "e3", "e2", "e1"])
    // It is part of the person's own trail, as the log has it, and no one else's.
    #expect(try await audit.entries(as: .person("maya")).items.first?.entryId == export.entryId)
    #expect(try await audit.entries(as: .person("noor")).items.map(\.entryId) == ["e7"])
  }

  @Test
  func `a key exports one subject or the whole app, and each leaves an entry`() async throws {
    let audit = try await EntriesTests.audit()
    let one = try await Self.export(audit, AuditExportParams(accountId: "noor"))
    #expect(try JSON.decode([AuditEntry].self, from: one.content).map(\.entryId) == [one.entryId, "e7"])
    let all = try await Self.export(audit, AuditExportParams(kind: "audit.*"))
    let entries = try JSON.decode([AuditEntry].self, from: all.content)
    #expect(entries.map(\.entryId) == [all.entryId, one.entryId])
    #expect(entries.map(\.actor) == ["key:root", "key:root"])
    #expect(entries[0].topic == "audit" && entries[1].accountId == "noor")
    #expect(entries[0].details?["filters"] == ["kind": "audit.*"])
  }

  @Test
  func `the evidence in an export proves each entry, without any key`() async throws {
    let audit = try await EntriesTests.audit()
    for principal in [Principal.admin, .person("maya")] {
      let export = try await Self.export(audit, AuditExportParams(format: .ndjson, accountId: "maya"), as: principal)
      let stored = Dictionary(uniqueKeysWithValues: try await audit.log().map { ($0.index, $0.hash) })
      for line in export.content.split(separator: "\n") {
        let entry = try JSON.decode(AuditEntry.self, from: String(line))
        let evidence = try #require(entry.evidence)
        #expect(SHA256.hash([0] + Array(evidence.leaf.utf8)) == stored[entry.index])
        let leaf = try JSON.decode([String: JSONValue].self, from: evidence.leaf)
        let salt = try #require(Hex.decode(evidence.salt ?? ""))
        let personal = try JSON.canonical(try #require(evidence.personal))
        #expect(leaf["commitment"]?.stringValue == Hex.encode(SHA256.hash(salt + personal)))
        #expect(leaf["entryId"]?.stringValue == entry.entryId)
        if let actor = evidence.actor {
          let named = try #require(Hex.decode(actor.salt)) + Array(actor.name.utf8)
          #expect(evidence.personal?["actorHash"]?.stringValue == Hex.encode(SHA256.hash(named)))
        }
      }
    }
  }

  @Test(arguments: AuditExportFormat.allCases)
  func `a person's export names none of the app's keys`(_ format: AuditExportFormat) async throws {
    let audit = try await EntriesTests.audit()
    let own = try await Self.export(audit, AuditExportParams(format: format), as: .person("maya"))
    #expect(!own.content.contains("support-kim"))
    let staff = try await Self.export(audit, AuditExportParams(format: format, accountId: "maya"))
    #expect(staff.content.contains("support-kim") == (format != .readable))
    #expect(own.contentType.contains(["json": "json", "ndjson": "ndjson", "csv": "csv"][format.rawValue] ?? "plain"))
  }

  @Test
  func `readable lines are the seed's`() async throws {
    let audit = try await EntriesTests.audit()
    let export = try await Self.export(
      audit, AuditExportParams(format: .readable, kind: "consent.*", regulation: "gdpr"), as: .person("maya"))
    #expect(
      export.content == """
        [2026-01-02 12:02:00 UTC] Denied Marketing (Regulation: GDPR, App: —)
        [2026-01-02 12:01:00 UTC] Granted Analytics (Regulation: GDPR, App: 2.1.0)

        """)
  }

  @Test
  func `a repeated export under one key leaves one entry`() async throws {
    let audit = try await EntriesTests.audit()
    let first = try await Self.export(audit, as: .person("maya"), key: "k")
    let second = try await Self.export(audit, as: .person("maya"), key: "k")
    #expect(first == second)
    await #expect(throws: RPCError.self) {
      try await Self.export(audit, AuditExportParams(format: .csv), as: .person("maya"), key: "k")
    }
  }

  @Test
  func `a long trail comes in pages that fit an answer`() async throws {
    let audit = try await RunningAudit()
    let text = JSONValue.string(String(repeating: "\"", count: 20_000))
    for seq in 1...10 { try await audit.deliver([.of("a:u", Int64(seq), facts: ["text": text], entryId: "e\(seq)")]) }
    var ids: [String] = []
    var pages = 0
    var params = AuditExportParams(accountId: "u", kind: "consent.*")
    repeat {
      let page = try await Self.export(audit, params)
      #expect(try JSON.encode(page).count < 1 << 20)
      let entries = try JSON.decode([AuditEntry].self, from: page.content)
      #expect(entries.count == page.count)
      pages += 1
      ids += entries.map(\.entryId)
      params.cursor = page.nextCursor
    } while params.cursor != nil
    #expect(pages > 1)
    #expect(ids == (1...10).reversed().map { "e\($0)" })
  }

  @Test(arguments: [
    (Principal.device("phone"), AuditExportParams(), ErrorCode.permissionDenied),
    (.anonymous, AuditExportParams(), .unauthenticated),
    (.person("maya"), AuditExportParams(accountId: "noor"), .permissionDenied),
    (Principal(kind: .key, name: "k", scopes: ["audit"]), AuditExportParams(accountId: "maya"), .permissionDenied),
    (.admin, AuditExportParams(limit: 1_001), .invalidParams), (.admin, AuditExportParams(cursor: "x"), .invalidParams),
  ])
  func `a refused export leaves no entry`(_ principal: Principal, _ params: AuditExportParams, _ code: ErrorCode)
    async throws
  {
    let audit = try await RunningAudit()
    await #expect {
      try await Self.export(audit, params, as: principal)
    } throws: {
      ($0 as? RPCError)?.code == code
    }
    #expect(try await audit.log().isEmpty)
  }
}

struct ErasureTests {
  /// As erasing a subject does: the key and every sealed part go, the row stays as tombstone.
  static func erase(_ audit: RunningAudit) async throws {
    try await audit.test.store.write([]) { _, writes in
      writes.add(SQLStatement("UPDATE audit_entry SET sealed = NULL WHERE kind <> 'policy.published'"))
      writes.add(SQLStatement("UPDATE audit_subject SET subject = NULL, wrapped_key = NULL"))
    }
  }

  @Test
  func `an erased subject's entries stay provable and name no one`() async throws {
    let audit = try await RunningAudit()
    try await audit.deliver([.of("a:maya", 1, facts: ["category": "analytics"], entryId: "e1")])
    let before = try await audit.log()
    try await Self.erase(audit)
    #expect(try await audit.log().map(\.hash) == before.map(\.hash))
    #expect(try await audit.entries(AuditEntriesParams(accountId: "maya")).items.isEmpty)
    let entry = try await audit.entries().items[0]
    #expect(entry.erased == true && entry.accountId == nil && entry.category == "analytics")
    let export = try await ExportTests.export(audit, AuditExportParams(format: .json, kind: "consent.*"))
    let evidence = try #require(try JSON.decode([AuditEntry].self, from: export.content)[0].evidence)
    #expect(evidence.salt == nil && evidence.personal == nil)
    #expect(SHA256.hash([0] + Array(evidence.leaf.utf8)) == before[0].hash)
  }

  @Test
  func `a late event of an erased subject is stored without its personal part, linked to nothing`() async throws {
    let audit = try await RunningAudit()
    try await audit.deliver([.of("a:maya", 1, entryId: "e1")])
    try await Self.erase(audit)
    // The running service still has the key in its cache.
    #expect(
      try await audit.deliver([.of("a:maya", 2, entryId: "e2"), .of("a:maya", 3, entryId: "e3")]) == [
        .applied, .applied,
      ])
    let rows = try await audit.test.store.read(
      SQLStatement("SELECT subject, sealed FROM audit_entry WHERE entry_id <> 'e1'"))
    #expect(rows.count == 2 && rows[0].blob(0) != rows[1].blob(0))
    #expect(rows.allSatisfy { $0.isNull(1) })
    #expect(try await audit.entries(AuditEntriesParams(accountId: "maya")).items.isEmpty)
    // The account's next generation begins anew.
    try await audit.deliver([.of("a:maya", 4, generation: 2, entryId: "e4")])
    #expect(try await audit.entries(AuditEntriesParams(accountId: "maya")).items.map(\.entryId) == ["e4"])
  }
}
