// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Events
import JSONRPC
import RPC
import SQLStore
import StoreTesting
import Testing

@testable import AuditService

@Suite struct ArchiveTests {
  static let effects = RawJSON(Array(#"[{"text":"secret"}]"#.utf8))

  private static func event(
    _ subject: String, _ seq: Int64, isShared: Bool = false, source: String = "account-service", app: String = "default"
  ) -> Event {
    Event.of(subject, seq, kind: "account.renamed", app: app, source: source, personal: ["name": "Maya"]).with {
      $0.replay = EventReplay(effects: effects, isShared: isShared)
      $0.payload = ["locale": "en"]
    }
  }

  private static func archived(
    _ audit: RunningAudit, as service: String, source: String = "account-service", after: String = "", limit: Int = 100
  ) async throws -> ArchivedEvents {
    try await audit.call(
      EventMethods.archived,
      ArchivedEventsParams(app: "default", source: source, after: after, limit: limit),
      as: Principal(kind: .service, name: service))
  }

  private static func marks(
    _ audit: RunningAudit, app: String? = "default", before: String? = nil, limit: Int = 100
  ) async throws -> EventMarks {
    try await audit.call(
      EventMethods.marks, EventMarksParams(app: app, source: "account-service", before: before, limit: limit),
      as: Principal(kind: .service, name: "account-service"))
  }

  @Test func aServiceGetsItsEventsAsItMadeThem() async throws {
    let audit = try await RunningAudit()
    let events = [Self.event("a:maya", 1, isShared: true), Self.event("a:noor", 1), Self.event("a:maya", 2)]
    try await audit.deliver(events, from: "account-service")
    let kept = try await Self.archived(audit, as: "account-service").events
    #expect(kept.map(\.entryId) == ["acc-amaya-1-1", "acc-amaya-1-2", "acc-anoor-1-1"])
    // Records are kept where other services get them too.
    #expect(kept[0] == events[0])
    #expect(kept[1].records.isEmpty)
    #expect(kept.allSatisfy { $0.replay?.effects == Self.effects && $0.payload == ["locale": "en"] })
    #expect(try await Self.archived(audit, as: "notification-prefs-service").events == kept)
  }

  @Test(arguments: [
    ("consent-service", "permission-service"), ("permission-service", "account-service"),
    ("account-service", "consent-service"),
  ])
  func nobodyGetsAnothersEvents(_ reader: String, _ source: String) async throws {
    let audit = try await RunningAudit()
    await #expect(throws: RPCError.self) { try await Self.archived(audit, as: reader, source: source) }
    let refusal = await #expect(throws: RPCError.self) {
      try await audit.call(
        EventMethods.archived, ArchivedEventsParams(app: "default", source: source, after: "", limit: 1), as: .admin)
    }
    #expect(refusal?.code == .permissionDenied)
  }

  @Test func marksAndEventsComeInPages() async throws {
    let audit = try await RunningAudit()
    try await audit.deliver((1...9).map { Self.event("a:maya", $0) }, from: "account-service")
    try await audit.deliver([Self.event("a:maya", 1, app: "brand")], from: "account-service")
    let newest = try await Self.marks(audit, limit: 4)
    #expect(newest.marks.map(\.seq) == [9, 8, 7, 6])
    let older = try await Self.marks(audit, before: newest.next, limit: 5)
    #expect(older.marks.map(\.seq) == [5, 4, 3, 2, 1])
    #expect(older.marks.allSatisfy { $0.subject == "a:maya" && $0.epoch == "e1" && $0.generation == 1 })
    #expect(try await Self.marks(audit, before: older.next, limit: 5).next == nil)
    #expect(
      try await Self.marks(audit, app: nil, limit: 1).marks.map { "\($0.app) \($0.seq)" } == ["brand 1", "default 9"])

    let first = try await Self.archived(audit, as: "account-service", limit: 6)
    #expect(first.events.map(\.seq) == [1, 2, 3, 4, 5, 6])
    let rest = try await Self.archived(audit, as: "account-service", after: first.next!, limit: 6)
    #expect(rest.events.map(\.seq) == [7, 8, 9])
    #expect(rest.next == nil)
  }

  @Test func whatIsErasedIsNotGivenBackAndNothingPersonalIsInTheClear() async throws {
    let audit = try await RunningAudit()
    try await audit.deliver([Self.event("a:maya", 1), Self.event("a:noor", 1)], from: "account-service")
    let rows = try await audit.test.store.read(SQLStatement("SELECT sealed FROM audit_event"))
    for row in rows {
      let text = String(decoding: row.blob(0), as: UTF8.self)
      #expect(!text.contains("maya") && !text.contains("secret"))
    }
    // As the README says.
    let subject = try await audit.test.store.read(
      SQLStatement("SELECT subject FROM audit_event WHERE entry_id = 'acc-amaya-1-1'"))[0].blob(0)
    try await audit.test.store.write([]) { _, writes in
      writes.add("UPDATE audit_entry SET sealed = NULL WHERE app = 'default' AND subject = $1", .blob(subject))
      writes.add("UPDATE audit_event SET sealed = NULL WHERE app = 'default' AND subject = $1", .blob(subject))
      writes.add(
        "UPDATE audit_subject SET subject = NULL, wrapped_key = NULL WHERE app = 'default' AND subject = $1",
        .blob(subject))
    }
    #expect(try await Self.archived(audit, as: "account-service").events.map(\.subject) == ["a:noor"])
    #expect(try await Self.marks(audit).marks.map(\.subject) == ["a:noor"])
    let asked = ErasedSubjectsParams(
      app: "default",
      subjects: [("a:maya", 1), ("a:maya", 2), ("a:noor", 1), ("a:else", 1)].map { .init(subject: $0, generation: $1) })
    let erased = try await audit.call(
      EventMethods.erased, asked, as: Principal(kind: .service, name: "consent-service"))
    #expect(erased.subjects == ["a:maya"])
  }
}
