// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import SettingsContracts
import Testing

@testable import AuditService

struct EntryQueryTests {
  static func query(_ params: AuditEntriesParams, for reader: StoredEntry.Reader = .staff) throws -> EntryQuery {
    try EntryQuery(params, for: reader, standard: 50, most: 200)
  }

  struct Refusal: Sendable {
    var field: String
    var params: AuditEntriesParams
  }

  static let refusals = [
    Refusal(field: "limit", params: AuditEntriesParams(limit: 0)),
    Refusal(field: "limit", params: AuditEntriesParams(limit: 201)),
    Refusal(field: "cursor", params: AuditEntriesParams(cursor: "")),
    Refusal(field: "cursor", params: AuditEntriesParams(cursor: "bm90IGEgY3Vyc29y")),
    Refusal(field: "kind", params: AuditEntriesParams(kind: "")),
    Refusal(field: "kind", params: AuditEntriesParams(kind: "*")),
    Refusal(field: "kind", params: AuditEntriesParams(kind: "consent%")),
    Refusal(
      field: "to",
      params: AuditEntriesParams(from: Timestamp(milliseconds: 2), to: Timestamp(milliseconds: 1))),
    Refusal(field: "actor", params: AuditEntriesParams(actor: "key:maria")),
    Refusal(field: "kind", params: AuditEntriesParams(kind: String(repeating: "x", count: 600_000))),
    Refusal(field: "category", params: AuditEntriesParams(category: String(repeating: "x", count: 65))),
    Refusal(field: "status", params: AuditEntriesParams(status: String(repeating: "x", count: 65))),
    Refusal(field: "regulation", params: AuditEntriesParams(regulation: String(repeating: "x", count: 65))),
    Refusal(field: "actor", params: AuditEntriesParams(actor: String(repeating: "x", count: 257))),
    Refusal(field: "cursor", params: AuditEntriesParams(cursor: String(repeating: "x", count: 129))),
  ]

  @Test(arguments: refusals)
  func `what cannot be asked is refused by its name`(_ refusal: Refusal) {
    #expect {
      try Self.query(refusal.params, for: .subject)
    } throws: {
      ($0 as? RPCError)?.code == .invalidParams && ($0 as? RPCError)?.field == refusal.field
    }
  }

  @Test(arguments: [
    ("consent.granted", "consent.granted", true), ("consent.granted", "consent.grantedLater", false),
    ("consent.*", "consent.granted", true), ("consent.*", "consent", false), ("consent.*", "consents.granted", false),
  ])
  func `kinds are one, or all of a domain`(_ asked: String, _ kind: String, _ isMeant: Bool) throws {
    let range = try #require(try Self.query(AuditEntriesParams(kind: asked)).kinds)
    #expect((kind >= range.first && kind < range.end) == isMeant)
  }

  @Test
  func `controller means every key`() throws {
    let range = try #require(try Self.query(AuditEntriesParams(actor: "controller"), for: .subject).actors)
    #expect("key:maria" >= range.first && "key:maria" < range.end)
    #expect("key:zoë" >= range.first && "key:zoë" < range.end)
    #expect(!("person" >= range.first && "person" < range.end))
  }

  @Test
  func `a cursor goes on where the page ended, never before 'to'`() throws {
    let position = EntryQuery.Position(milliseconds: 1_700_000_000_000, index: 42)
    #expect(EntryQuery.Position(cursor: position.cursor) == position)
    #expect(try Self.query(AuditEntriesParams(cursor: position.cursor)).start == position)
    let early = try Self.query(AuditEntriesParams(to: Timestamp(milliseconds: 5), cursor: position.cursor))
    #expect(early.start == EntryQuery.Position(milliseconds: 5, index: -1))
  }
}
