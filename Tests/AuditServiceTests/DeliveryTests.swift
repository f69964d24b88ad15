// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Configuration
import Cryptography
import Events
import JSONRPC
import RPC
import SQLStore
import SettingsContracts
import StoreTesting
import Testing

@testable import AuditService

struct DeliveryTests {
  @Test
  func `an event is stored once, however often it comes`() async throws {
    let audit = try await RunningAudit()
    let events = [Event.of("a:u", 1), .of("a:u", 2), .of("d:v", 1)]
    #expect(try await audit.deliver(events) == [.applied, .applied, .applied])
    #expect(try await audit.deliver(events) == [.duplicate, .duplicate, .duplicate])
    #expect(try await audit.deliver([.of("a:u", 2), .of("a:u", 3)]) == [.duplicate, .applied])
    #expect(try await audit.log().map(\.index) == [0, 1, 2, 3])
  }

  @Test
  func `a missing event keeps later ones of its subject out, and no others`() async throws {
    let audit = try await RunningAudit()
    #expect(try await audit.deliver([.of("a:u", 2), .of("a:w", 1)]) == [.gap, .applied])
    #expect(try await audit.deliver([.of("a:u", 1), .of("a:u", 2)]) == [.applied, .applied])
    let page = try await audit.entries(AuditEntriesParams(accountId: "u"))
    #expect(page.items.map(\.entryId) == ["con-au-1-2", "con-au-1-1"])
    #expect(try await audit.log().map(\.index) == [0, 1, 2])
  }

  @Test
  func `another event in the place of one that was taken is a conflict`() async throws {
    let audit = try await RunningAudit()
    try await audit.deliver([.of("a:u", 1)])
    #expect(try await audit.deliver([.of("a:u", 1, entryId: "forged")]) == [.conflict])
    #expect(try await audit.log().count == 1)
  }

  @Test
  func `sources, epochs and apps count apart`() async throws {
    let audit = try await RunningAudit()
    #expect(
      try await audit.deliver([
        .of("a:u", 1), Event.of("a:u", 1, entryId: "x").with { $0.epoch = "e2" }, .of("a:u", 1, app: "other"),
      ]) == [.applied, .applied, .applied])
    #expect(
      try await audit.deliver([.of("a:u", 1, source: "account-service")], from: "account-service") == [.applied])
    #expect(try await audit.log().map(\.index) == [0, 1, 2])
    #expect(try await audit.log("other").map(\.index) == [0])
  }

  @Test
  func `an event of an older generation is stored all the same, under a key of its own`() async throws {
    let audit = try await RunningAudit()
    try await audit.deliver([.of("a:u", 1, generation: 2)])
    #expect(try await audit.deliver([.of("a:u", 2, generation: 1)]) == [.applied])
    let rows = try await audit.test.store.read(SQLStatement("SELECT DISTINCT subject FROM audit_entry"))
    #expect(rows.count == 2)
  }

  @Test
  func `a service delivers its own events only, and nobody else any`() async throws {
    let audit = try await RunningAudit()
    await #expect(throws: RPCError.self) { try await audit.deliver([.of("a:u", 1)], from: "account-service") }
    for principal in [Principal.admin, .person("u"), .anonymous] {
      await #expect(throws: RPCError.self) {
        try await audit.call(EventMethods.deliver, DeliverParams(events: [.of("a:u", 1)]), as: principal)
      }
    }
    #expect(try await audit.log().isEmpty)
  }

  @Test
  func `an event with several records, or none, has as many entries`() async throws {
    let audit = try await RunningAudit()
    let several = Event.of("a:u", 1).with { event in
      event.records = (0..<4).map { number in
        var record = event.records[0]
        record.entryId = "r\(number)"
        record.facts = ["category": .string("c\(number)")]
        return record
      }
    }
    try await audit.deliver([several, Event.of("a:u", 2).with { $0.records = [] }])
    #expect(try await audit.entries().items.map(\.entryId) == ["r3", "r2", "r1", "r0"])
  }

  @Test
  func `batches side by side leave one log without gaps`() async throws {
    let audit = try await RunningAudit()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for source in ["consent-service", "account-service", "permission-service", "notification-prefs-service"] {
        group.addTask {
          for batch in 0..<5 {
            try await audit.deliver(
              (0..<20).map {
                .of("a:\(source)\($0)", Int64(batch) + 1, source: source, entryId: "\(source)\(batch)-\($0)")
              },
              from: source)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await audit.log().map(\.index) == Array(0..<400))
  }

  @Test
  func `stored leaves hash to their stored hashes, name no one and keep to the format`() async throws {
    let audit = try await RunningAudit()
    try await audit.deliver([
      .of(
        "a:maya", 1, facts: ["category": "analytics", "ratio": .number(0.25)], personal: ["note": "a wish"],
        entryId: "e1"),
      .of("a:maya", 2, entryId: "e2"), .of("a:noor", 1, entryId: "e3"),
    ])
    let leaves = try await audit.log().map { entry in
      #expect(EntryFormat.leafHash(entry.leaf) == entry.hash)
      let text = String(decoding: entry.leaf, as: UTF8.self)
      #expect(!text.contains("maya") && !text.contains("noor") && !text.contains("wish"))
      let leaf = try JSON.decode(EntryFormat.Leaf.self, from: entry.leaf)
      #expect(try JSON.canonical(leaf) == entry.leaf)
      return leaf
    }
    #expect(leaves.map(\.v) == [1, 1, 1])
    #expect(Set(leaves.map(\.logId)).count == 1 && leaves[0].logId.utf8.count == 32)
    #expect(leaves[0].subject == leaves[1].subject && leaves[0].subject != leaves[2].subject)
    #expect(Set(leaves.map(\.commitment)).count == 3)
    let facts = try EntryFormat.canonical(["category": "analytics", "ratio": "0.25"])
    #expect(leaves[0].facts == facts)
  }

  @Test
  func `no table holds an account's id or personal part in the clear`() async throws {
    let audit = try await RunningAudit()
    try await audit.deliver([.of("a:maya-in-clear", 1, personal: ["note": "secret-note"])])
    _ = try await audit.call(
      AuditMethods.export, AuditExportParams(), as: .person("maya-in-clear", device: "phone-in-clear"), key: "k")
    var tables: [StaticString] = [
      "SELECT * FROM audit_log", "SELECT * FROM audit_subject", "SELECT * FROM audit_entry",
      "SELECT * FROM audit_event", "SELECT * FROM inbox", "SELECT * FROM subject_head", "SELECT * FROM idempotency",
    ]
    if audit.test.store.logsWholePages { tables.append("SELECT * FROM audit_trail") }
    for table in tables {
      for row in try await audit.test.store.read(SQLStatement(table)) {
        for column in 0..<row.columnCount {
          let bytes: [UInt8] =
            switch row[column] {
            case .text(let text): Array(text.utf8)
            case .blob(let blob): blob
            default: []
            }
          let text = String(decoding: bytes, as: UTF8.self)
          #expect(!text.contains("in-clear") && !text.contains("secret-note"), "\(table)")
        }
      }
    }
  }

  @Test
  func `the service does not start with another key than the one it wrote with, or without`() async throws {
    let audit = try await RunningAudit()
    try await audit.deliver([.of("a:u", 1)])
    await audit.stop()
    await #expect(throws: ConfigurationError.self) {
      try await RunningAudit(audit.test, keyFile: audit.test.folder + "/lost.key")
    }
    _ = try AuditKeyFile(Configuration([AuditKeyFile.setting: audit.test.folder + "/other.key"])).load(mayCreate: true)
    await #expect(throws: ConfigurationError.self) {
      try await RunningAudit(audit.test, keyFile: audit.test.folder + "/other.key")
    }
    let again = try await RunningAudit(audit.test)
    #expect(try await again.deliver([.of("a:u", 1), .of("a:u", 2)]) == [.duplicate, .applied])
    #expect(try await again.entries(AuditEntriesParams(accountId: "u")).items.map(\.accountId) == ["u", "u"])
  }

  @Test
  func `another service's ledger and relay bring its writes into the log`() async throws {
    let audit = try await RunningAudit()
    let other = try TestStore()
    let ledger = try await other.ledger(source: "account-service")
    let client = RPCClient(audit.transport, as: "account-service")
    let relay = Task { await Relay(ledger) { _ in client }.run() }
    let context = CallContext(
      principal: .person("maya", device: "phone"), requestId: "r", deadline: .after(milliseconds: 30_000))
    let entryId = try await ledger.write(
      .account("default", "maya"), context, method: "account.rename", params: Empty()
    ) { _, change in change.record("account.renamed", facts: ["field": "name"]) }
    let page = try await audit.entries(AuditEntriesParams(after: entryId), as: .person("maya"))
    let entry = try #require(page.items.first)
    #expect(entry.entryId == entryId && entry.kind == "account.renamed" && entry.source == "account-service")
    #expect(entry.accountId == "maya" && entry.deviceId == "phone" && entry.actor == "person")
    #expect(entry.details == ["field": "name"])
    relay.cancel()
    await relay.value
  }

  @Test
  func `a record whose facts are no object is refused`() async throws {
    let audit = try await RunningAudit()
    let event = """
      {"source":"consent-service","epoch":"e","app":"default","subject":"a:u","generation":1,"seq":1,"entryId":"e1",\
      "kind":"k","records":[{"entryId":"e1","kind":"k","timestamp":"2026-01-02T03:04:05.678Z","facts":[],"personal":{}}]}
      """
    await #expect {
      try await audit.call(
        EventMethods.deliverEncoded, EncodedEvents(events: [RawJSON(Array(event.utf8))]),
        as: Principal(kind: .service, name: "consent-service"))
    } throws: {
      ($0 as? RPCError)?.field == "events[0].records[0].facts"
    }
  }

  @Test
  func `the service describes its methods`() async throws {
    let audit = try await RunningAudit()
    let document = try await audit.call(RuntimeMethods.discover, Empty(), as: .admin)
    let methods = try JSON.decode(JSONValue.self, from: document.bytes)["methods"]?.arrayValue ?? []
    let names = Set(methods.compactMap { $0["name"]?.stringValue })
    #expect(names.isSuperset(of: ["audit.entries", "audit.currentDecisions", "audit.export", "events.deliver"]))
  }
}
