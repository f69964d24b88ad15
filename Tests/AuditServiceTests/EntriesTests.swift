// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Events
import JSONRPC
import RPC
import SQLStore
import SettingsContracts
import Testing

@testable import AuditService

struct EntriesTests {
  /// Eight entries: five about the account maya, one about her device, one about another account, one about the app.
  static let events: [Event] = [
    .of(
      "a:maya", 1, minutes: 1,
      facts: [
        "category": "analytics", "status": "granted", "regulation": "gdpr", "policyVersion": 1, "method": "save",
      ],
      personal: ["appVersion": "2.1.0", "osVersion": "17.4", "deviceId": "phone"], entryId: "e1"),
    .of(
      "a:maya", 2, minutes: 2,
      facts: ["category": "marketing", "status": "denied", "regulation": "gdpr", "policyVersion": 1],
      personal: ["deviceId": "tablet"], entryId: "e2"),
    .of(
      "a:maya", 3, kind: "consent.withdrawn", minutes: 3,
      facts: ["category": "analytics", "status": "denied", "regulation": "ccpa", "policyVersion": 2],
      personal: ["actor": "key:support-kim"], entryId: "e3"),
    .of(
      "a:maya", 4, kind: "consent.superseded", minutes: 4,
      facts: ["category": "analytics", "status": "granted", "superseded": true], entryId: "e4"),
    .of("a:maya", 5, kind: "notifications.saved", minutes: 5, facts: ["category": "messages"], entryId: "e5"),
    .of("d:phone", 1, minutes: 6, facts: ["category": "analytics", "status": "granted"], entryId: "e6"),
    .of("a:noor", 1, minutes: 7, facts: ["category": "analytics", "status": "granted"], entryId: "e7"),
    .of("x:policy", 1, kind: "policy.published", minutes: 8, personal: ["actor": "key:root"], entryId: "e8"),
  ]

  static func audit() async throws -> RunningAudit {
    let audit = try await RunningAudit()
    #expect(try await audit.deliver(events).allSatisfy { $0 == .applied })
    return audit
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var params = AuditEntriesParams()
    var principal = Principal.admin
    var ids: [String]
  }

  static let minute3 = RunningAudit.noon + 3 * 60_000
  static let cases = [
    Case(testDescription: "everything", ids: ["e8", "e7", "e6", "e5", "e4", "e3", "e2", "e1"]),
    Case(
      testDescription: "an account", params: AuditEntriesParams(accountId: "maya"), ids: ["e5", "e4", "e3", "e2", "e1"]),
    Case(testDescription: "a device", params: AuditEntriesParams(deviceId: "phone"), ids: ["e6"]),
    Case(
      testDescription: "an account's entries from a device",
      params: AuditEntriesParams(accountId: "maya", deviceId: "tablet"), ids: ["e2"]),
    Case(testDescription: "an account that is not known", params: AuditEntriesParams(accountId: "nobody"), ids: []),
    Case(testDescription: "a person's own", principal: .person("maya"), ids: ["e5", "e4", "e3", "e2", "e1"]),
    Case(testDescription: "a device's own", principal: .device("phone"), ids: ["e6"]),
    Case(testDescription: "a person of another app", principal: .person("maya", app: "other"), ids: []),
    Case(testDescription: "a kind", params: AuditEntriesParams(kind: "consent.withdrawn"), ids: ["e3"]),
    Case(
      testDescription: "a domain", params: AuditEntriesParams(accountId: "maya", kind: "consent.*"),
      ids: ["e4", "e3", "e2", "e1"]),
    Case(
      testDescription: "a category", params: AuditEntriesParams(category: "analytics"),
      ids: ["e7", "e6", "e4", "e3", "e1"]),
    Case(testDescription: "a status", params: AuditEntriesParams(status: "denied"), ids: ["e3", "e2"]),
    Case(testDescription: "a regulation", params: AuditEntriesParams(regulation: "ccpa"), ids: ["e3"]),
    Case(testDescription: "a policy version", params: AuditEntriesParams(policyVersion: 1), ids: ["e2", "e1"]),
    Case(testDescription: "a key's name", params: AuditEntriesParams(actor: "key:support-kim"), ids: ["e3"]),
    Case(testDescription: "any key", params: AuditEntriesParams(actor: "controller"), ids: ["e8", "e3"]),
    Case(
      testDescription: "any key, asked by a person", params: AuditEntriesParams(actor: "controller"),
      principal: .person("maya"), ids: ["e3"]),
    Case(
      testDescription: "a person's acts", params: AuditEntriesParams(accountId: "noor", actor: "person"), ids: ["e7"]),
    Case(
      testDescription: "from a moment on", params: AuditEntriesParams(accountId: "maya", from: minute3),
      ids: ["e5", "e4", "e3"]),
    Case(testDescription: "before a moment", params: AuditEntriesParams(to: minute3), ids: ["e2", "e1"]),
    Case(testDescription: "between moments", params: AuditEntriesParams(from: minute3, to: minute3 + 1), ids: ["e3"]),
    Case(testDescription: "no time at all", params: AuditEntriesParams(from: minute3, to: minute3), ids: []),
    Case(
      testDescription: "several at once",
      params: AuditEntriesParams(accountId: "maya", kind: "consent.*", category: "analytics", status: "granted"),
      ids: ["e4", "e1"]),
  ]

  @Test
  func `every filter gives its entries, newest first`() async throws {
    let audit = try await Self.audit()
    for item in Self.cases {
      let page = try await audit.entries(item.params, as: item.principal)
      #expect(page.items.map(\.entryId) == item.ids, "\(item.testDescription)")
      #expect(page.nextCursor == nil)
    }
  }

  @Test
  func `pages of any size, joined, are the whole list`() async throws {
    let audit = try await Self.audit()
    for item in Self.cases {
      for limit in 1...3 {
        var ids: [String] = []
        var params = item.params
        params.limit = limit
        repeat {
          let page = try await audit.entries(params, as: item.principal)
          #expect(page.items.count <= limit)
          ids += page.items.map(\.entryId)
          params.cursor = page.nextCursor
        } while params.cursor != nil
        #expect(ids == item.ids, "\(item.testDescription), \(limit) a page")
      }
    }
  }

  struct Refusal: Sendable {
    var params: AuditEntriesParams
    var principal: Principal
    var code: ErrorCode
  }

  static let refusals = [
    Refusal(params: AuditEntriesParams(accountId: "noor"), principal: .person("maya"), code: .permissionDenied),
    Refusal(
      params: AuditEntriesParams(deviceId: "x"), principal: .person("maya", device: "y"), code: .permissionDenied),
    Refusal(params: AuditEntriesParams(accountId: "maya"), principal: .device("phone"), code: .permissionDenied),
    Refusal(params: AuditEntriesParams(), principal: .anonymous, code: .unauthenticated),
    Refusal(
      params: AuditEntriesParams(accountId: "maya"), principal: Principal(kind: .key, name: "k", scopes: ["check"]),
      code: .permissionDenied),
    Refusal(
      params: AuditEntriesParams(), principal: Principal(kind: .key, name: "k", role: "operator"),
      code: .permissionDenied),
    Refusal(params: AuditEntriesParams(accountId: "a b"), principal: .admin, code: .invalidParams),
    Refusal(params: AuditEntriesParams(limit: 201), principal: .admin, code: .invalidParams),
    Refusal(params: AuditEntriesParams(actor: "key:kim"), principal: .person("maya"), code: .invalidParams),
    // A service asks for a person, so it must say which.
    Refusal(
      params: AuditEntriesParams(), principal: Principal(kind: .service, name: "consent-service"), code: .invalidParams),
  ]

  @Test(arguments: refusals)
  func `what is not the caller's to see is refused`(_ refusal: Refusal) async throws {
    let audit = try await RunningAudit()
    await #expect {
      try await audit.entries(refusal.params, as: refusal.principal)
    } throws: {
      ($0 as? RPCError)?.code == refusal.code
    }
  }

  @Test
  func `an entry shows what was recorded`() async throws {
    let audit = try await Self.audit()
    var expected = AuditEntry(
      entryId: "e1", index: 0, kind: "consent.decided", source: "consent-service",
      timestamp: RunningAudit.noon + 60_000, actor: "person")
    expected.accountId = "maya"
    expected.deviceId = "phone"
    expected.category = "analytics"
    expected.status = "granted"
    expected.regulation = "gdpr"
    expected.policyVersion = 1
    expected.method = "save"
    expected.appVersion = "2.1.0"
    expected.osVersion = "17.4"
    #expect(try await audit.entries(as: .person("maya")).items.last == expected)
  }

  @Test
  func `keys are named to keys only`() async throws {
    let audit = try await Self.audit()
    func actor(_ principal: Principal) async throws -> String? {
      try await audit.entries(AuditEntriesParams(accountId: "maya"), as: principal).items.first { $0.entryId == "e3" }?
        .actor
    }
    #expect(try await actor(.admin) == "key:support-kim")
    #expect(try await actor(.person("maya")) == "controller")
    #expect(try await actor(Principal(kind: .service, name: "consent-service")) == "controller")
    let topic = try await audit.entries(AuditEntriesParams(kind: "policy.published")).items[0]
    #expect(topic.topic == "policy" && topic.accountId == nil && topic.deviceId == nil)
  }

  @Test
  func `the newest decision in force of each category is current`() async throws {
    let audit = try await Self.audit()
    func current(_ params: CurrentDecisionsParams, _ principal: Principal) async throws -> [String] {
      try await audit.call(AuditMethods.currentDecisions, params, as: principal).items.map(\.entryId)
    }
    // Not e4, which lost against e3 and is evidence; not e5, which is no consent.
    #expect(try await current(CurrentDecisionsParams(), .person("maya")) == ["e3", "e2"])
    #expect(
      try await current(
        CurrentDecisionsParams(deviceId: "phone"), Principal(kind: .key, name: "k", scopes: ["check"])) == ["e6"])
    #expect(try await current(CurrentDecisionsParams(accountId: "nobody"), .admin).isEmpty)
    await #expect(throws: RPCError.self) {
      try await current(CurrentDecisionsParams(accountId: "noor"), .person("maya"))
    }
    await #expect(throws: RPCError.self) { try await current(CurrentDecisionsParams(), .admin) }
  }

  @Test
  func `a search passes over more entries than one look takes in`() async throws {
    let audit = try await RunningAudit()
    let rare = 3
    for batch in 0..<9 {
      try await audit.deliver(
        (0..<256).map { number in
          let seq = Int64(batch * 256 + number + 1)
          return .of("a:u", seq, minutes: 0, facts: ["category": seq == rare ? "rare" : "common"], entryId: "e\(seq)")
        })
    }
    #expect(9 * 256 > EntryReader.window)
    for params in [AuditEntriesParams(category: "rare"), AuditEntriesParams(accountId: "u", category: "rare")] {
      let page = try await audit.entries(params)
      #expect(page.items.map(\.entryId) == ["e3"] && page.nextCursor == nil)
    }
  }

  @Test
  func `large entries make smaller pages, never a reply too large`() async throws {
    let audit = try await RunningAudit()
    let text = JSONValue.string(String(repeating: "x", count: 50_000))
    for seq in 1...20 { try await audit.deliver([.of("a:u", Int64(seq), facts: ["text": text], entryId: "e\(seq)")]) }
    var ids: [String] = []
    var params = AuditEntriesParams(accountId: "u")
    repeat {
      let page = try await audit.entries(params)
      #expect(try JSON.encode(page).count < 1 << 20)
      ids += page.items.map(\.entryId)
      params.cursor = page.nextCursor
    } while params.cursor != nil
    #expect(ids == (1...20).reversed().map { "e\($0)" })
  }
}
