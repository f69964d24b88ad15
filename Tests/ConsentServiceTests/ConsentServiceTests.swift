// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Events
import JSONRPC
import RPC
import SQLStore
import SettingsContracts
import StoreTesting
import Testing
import Threading

@testable import ConsentService

@Suite("consent-service")
struct ConsentServiceTests {
  let everything = ["analytics": true, "marketing": true, "personalization": true, "functional": true]

  @Test("shows the built-in policy before anything was decided")
  func fresh() async throws {
    let service = try await RunningConsent()
    let state = try await service.get()
    #expect(state.regulation == "generic" && state.policyVersion == 1 && state.revision == 0)
    #expect(state.needsConsent && state.promptReason == .missing)
    #expect(state.summary == "0 of 4 optional categories enabled")
    #expect(state.categories.map(\.id) == ["essential", "analytics", "marketing", "personalization", "functional"])
    #expect(state["essential"].allowed && state["essential"].required && state["essential"].reason == .required)
    #expect(state["analytics"].status == .notDetermined && state["analytics"].reason == .undecided)
    #expect(state.signals == ConsentSignals(gpc: .init(present: false, honored: false, at: nil), att: nil))
    let german = try await service.get(ConsentGetParams(locale: "de-AT"))
    #expect(german.summary == "0 von 4 optionalen Kategorien aktiviert")
    #expect(german["essential"].displayName == "Notwendig" && german.notice.locale == "de")
    #expect(german.notice.hash != state.notice.hash && german.notice.hash.count == 64)
  }

  @Test("a decision is answered with the state, is there afterwards and leaves a record per category")
  func decide() async throws {
    let service = try await RunningConsent()
    let decided = try await service.decide(["analytics": true, "marketing": false])
    #expect(decided.revision == 1 && decided.entryId != nil)
    #expect(decided.summary == "1 of 4 optional categories enabled")
    var state = try await service.get()
    #expect(state.entryId == nil)
    state.entryId = decided.entryId
    #expect(state == decided)
    #expect(state["analytics"].decidedAt == noon && state["analytics"].method == .save)
    let records = try await service.records()
    #expect(records.map { $0.facts["category"] } == ["analytics", "marketing"])
    #expect(records.map { $0.facts["status"] } == ["granted", "denied"])
    #expect(records[0].entryId == decided.entryId && records[0].kind == "consent.decided")
    #expect(records[0].facts["noticeHash"] == .string(state.notice.hash))
    #expect(records[0].facts["policyVersion"] == 1 && records[0].facts["regulation"] == "generic")
    #expect(records[0].personal["appVersion"] == "2.1.0" && records[0].personal["accountId"] == "maya")
    #expect(records[0].facts.values.allSatisfy { $0 != "maya" && $0 != "phone" && $0 != "2.1.0" })
  }

  @Test("a refused call leaves nothing behind")
  func refused() async throws {
    let service = try await RunningConsent()
    let cases: [([String: Bool], Int, ErrorCode, String)] = [
      (["analytics": true, "essential": false], 1, .failedPrecondition, "decisions.essential: essential is required"),
      (["analytics": true, "telemetry": true], 1, .invalidParams, "decisions.telemetry: no category telemetry"),
      ([:], 1, .invalidParams, "decisions: 0 decisions"),
      (["analytics": true], 2, .invalidParams, "policyVersion: there is no version 2; the live one is 1"),
    ]
    for (decisions, version, code, message) in cases {
      let error = await #expect(throws: RPCError.self) { try await service.decide(decisions, version: version) }
      #expect(error?.code == code)
      #expect(error?.message.hasPrefix(message) == true)
    }
    let badName = await #expect(throws: RPCError.self) {
      try await service.decide(["analytics": true], decisionId: "42")
    }
    #expect(badName?.field == "decisionId")
    #expect(try await service.get().revision == 0)
    #expect(try await service.records().isEmpty)
  }

  @Test("accepting, rejecting, withdrawing and resetting everything")
  func shortForms() async throws {
    let service = try await RunningConsent()
    let granted = try await service.call(
      ConsentMethods.grantAll, ConsentGrantAllParams(policyVersion: 1, context: .app))
    #expect(granted.enabledCount == 4 && !granted.needsConsent)
    #expect(granted["analytics"].method == .acceptAll && granted["essential"].method == nil)
    let withdrawn = try await service.call(
      ConsentMethods.withdraw, ConsentWithdrawParams(categories: ["marketing"]))
    #expect(withdrawn.enabledCount == 3 && withdrawn["marketing"].reason == .denied && !withdrawn.needsConsent)
    let denied = try await service.call(ConsentMethods.denyAll, ConsentRefuseParams())
    #expect(denied.enabledCount == 0 && denied["essential"].allowed && denied["analytics"].method == .rejectAll)
    #expect(!denied.needsConsent)
    let reset = try await service.call(ConsentMethods.reset, ConsentWithdrawParams())
    #expect(reset["analytics"].status == .notDetermined && reset.promptReason == .missing)
    #expect(reset["analytics"].decidedAt == nil)
    let again = try await service.call(ConsentMethods.reset, ConsentWithdrawParams())
    #expect(again.entryId == nil && again.revision == reset.revision)
    let all = try await service.call(ConsentMethods.withdraw, ConsentWithdrawParams())
    #expect(all.enabledCount == 0 && all["functional"].status == .denied)
    #expect(
      Set(try await service.records().map(\.kind)) == ["consent.decided", "consent.withdrawn", "consent.reset"])
    for categories in [[], ["essential"], ["telemetry"], ["marketing", "marketing"]] {
      let params = ConsentWithdrawParams(categories: categories)
      #expect(await service.refusal(ConsentMethods.withdraw, params)?.field == "categories")
      #expect(await service.refusal(ConsentMethods.reset, params)?.field == "categories")
    }
  }

  @Test("an opt-out outlasts reset and move; granting then takes a confirmation")
  func optOut() async throws {
    let service = try await RunningConsent()
    try await service.live(in: "US", "CA")
    #expect(try await service.check("marketing") == ConsentCheckResult(allowed: true, reason: .optOutDefault))
    let before = try await service.get()
    #expect(before["marketing"].status == .notDetermined && !before.needsConsent && before.regulation == "ccpa")
    let out = try await service.call(ConsentMethods.optOut, ConsentRefuseParams())
    #expect(out["marketing"].reason == .optedOut && out["analytics"].reason == .optOutDefault)
    _ = try await service.call(ConsentMethods.reset, ConsentWithdrawParams())
    #expect(try await service.check("marketing").reason == .optedOut)
    try await service.live(in: "DE")
    try await service.live(in: "US", "CA")
    #expect(try await service.check("marketing").allowed == false)
    let error = await #expect(throws: RPCError.self) { try await service.decide(everything) }
    #expect(error?.code == .failedPrecondition && error?.reason == "confirmationRequired")
    #expect(error?.details["confirm"] == ["optInAfterOptOut"])
    #expect(error?.display == "You opted out before. Do you want to opt in again?")
    let german = await #expect(throws: RPCError.self) {
      try await service.call(
        ConsentMethods.grantAll, ConsentGrantAllParams(policyVersion: 1, context: .app), locale: "de-CH")
    }
    #expect(german?.display?.hasPrefix("Sie haben") == true)
    let confirmed = try await service.decide(everything, confirm: [.optInAfterOptOut])
    #expect(confirmed["marketing"].allowed && confirmed["marketing"].reason == .granted)
    let last = try #require(try await service.records().last { $0.facts["category"] == "marketing" })
    #expect(last.facts["confirmed"] == ["optInAfterOptOut"])
  }

  @Test("a decision's name repeats to its first outcome, whatever happened since")
  func decisionId() async throws {
    let service = try await RunningConsent()
    let id = "550E8400-e29b-41d4-a716-446655440000"
    let first = try await service.decide(["analytics": true], decisionId: id)
    _ = try await service.call(ConsentMethods.denyAll, ConsentRefuseParams())
    service.clock.advance(days(400))
    // Kept without the policy's texts, which come back to the letter even when another version is live.
    _ = try await service.call(
      ConsentMethods.publishPolicy, PolicyServiceTests.policy(2), as: .admin)
    let again = try await service.decide(["analytics": true], decisionId: id.lowercased())
    #expect(again == first)
    #expect(try await service.check("analytics").allowed == false)
    let other = await #expect(throws: RPCError.self) {
      try await service.decide(["analytics": false], decisionId: id)
    }
    #expect(other?.reason == "decisionIdReused")
    // Somebody else's names are their own.
    let phone = try await service.decide(["analytics": false], as: .phone, decisionId: id)
    #expect(phone["analytics"].status == .denied)
  }

  @Test("an older offline decision is evidence and changes nothing")
  func superseded() async throws {
    let service = try await RunningConsent()
    _ = try await service.decide(["analytics": false, "functional": false])
    let late = try await service.decide(["analytics": true, "personalization": true], occurredAt: noon + -1)
    #expect(late["analytics"].status == .denied && late["personalization"].status == .granted)
    #expect(late.superseded?.map(\.category) == ["analytics"])
    #expect(late.superseded?[0].occurredAt == noon + -1)
    let record = try #require(try await service.records().first { $0.kind == "consent.superseded" })
    #expect(record.facts["superseded"] == true && record.entryId == late.superseded?[0].entryId)
  }

  @Test("a key decides as an agent, and must name whom for")
  func agent() async throws {
    let service = try await RunningConsent()
    let state = try await service.decide(["analytics": true], as: .agent, account: "maya")
    #expect(state["analytics"].method == .agent)
    let missing = await #expect(throws: RPCError.self) { try await service.decide(["analytics": true], as: .agent) }
    #expect(missing?.code == .invalidParams && missing?.field == "accountId")
    let other = await #expect(throws: RPCError.self) { try await service.decide(["analytics": true], account: "noah") }
    #expect(other?.code == .permissionDenied)
    let tracker = await #expect(throws: RPCError.self) {
      try await service.decide(["analytics": true], as: .tracker, account: "maya")
    }
    #expect(tracker?.code == .permissionDenied)
  }

  @Test("an idempotency key repeats the reply, and takes no other params")
  func idempotency() async throws {
    let service = try await RunningConsent()
    let first = try await service.decide(["analytics": true], key: "k1")
    let again = try await service.decide(["analytics": true], key: "k1")
    #expect(first == again && again.revision == 1)
    let stored = try await service.test.store.read(SQLStatement("SELECT reply FROM idempotency WHERE app = 'default'"))
    #expect(stored.count == 1 && !stored[0].text(0).contains(first.notice.title))
    let other = await #expect(throws: RPCError.self) { try await service.decide(["analytics": false], key: "k1") }
    #expect(other?.code == .failedPrecondition)
  }

  @Test("the age band is set once or younger by a person, either way by a key")
  func subject() async throws {
    let service = try await RunningConsent()
    let method = ConsentMethods.setSubject
    let state = try await service.call(method, ConsentSetSubjectParams(country: "FR", ageBand: .age14))
    #expect(state.regulation == "gdpr" && state.ageBand == .age14 && state["analytics"].reason == .minor)
    #expect(!state.needsConsent)
    let older = ConsentSetSubjectParams(country: "FR", ageBand: .age15)
    #expect(await service.refusal(method, older)?.reason == "ageOnlyYounger")
    let byKey = try await service.call(
      method, ConsentSetSubjectParams(accountId: "maya", country: "FR", ageBand: .age15), as: .agent)
    #expect(byKey["analytics"].reason == .undecided)
    let same = try await service.call(method, ConsentSetSubjectParams(country: "FR"))
    #expect(same.entryId == nil && same.revision == byKey.revision)
    #expect(await service.refusal(method, ConsentSetSubjectParams(country: "XX"))?.field == "country")
    let records = try await service.records()
    #expect(records.map(\.kind) == ["consent.subjectSet", "consent.subjectSet"])
    #expect(records[0].facts == ["regulation": "gdpr"] && records[0].personal["ageBand"] == "14")
  }

  @Test("checks answer one result or error each, in order")
  func checkMany() async throws {
    let service = try await RunningConsent()
    _ = try await service.decide(["analytics": true])
    let checks = [
      ConsentCheckParams(accountId: "maya", category: "analytics"),
      ConsentCheckParams(accountId: "maya", category: "telemetry"),
      ConsentCheckParams(category: "analytics"),
      ConsentCheckParams(accountId: "noah", category: "analytics"),
      ConsentCheckParams(accountId: "maya", deviceId: "phone", category: "essential"),
      ConsentCheckParams(accountId: "maya@example.com", category: "essential"),
    ]
    let results = try await service.call(
      ConsentMethods.checkMany, ConsentCheckManyParams(checks: checks), as: .tracker
    ).results
    #expect(results.map(\.reason) == [.granted, nil, nil, .undecided, .required, nil])
    #expect(results.map { $0.error?.data.field } == [nil, "category", "accountId", nil, nil, "accountId"])
    #expect(results[0].reviewAt == noon + days(365))
    #expect(results[5].error?.message.contains("example") == false)
    let tooMany = ConsentCheckManyParams(
      checks: Array(repeating: ConsentCheckParams(accountId: "a", category: "essential"), count: 1001))
    #expect(await service.refusal(ConsentMethods.checkMany, tooMany, as: .tracker)?.field == "checks")
    let most = ConsentCheckManyParams(
      checks: (0..<1000).map { ConsentCheckParams(accountId: "a\($0)", category: "analytics") })
    #expect(try await service.call(ConsentMethods.checkMany, most, as: .tracker).results.count == 1000)
    let none = ConsentCheckManyParams(checks: [])
    #expect(try await service.call(ConsentMethods.checkMany, none, as: .tracker).results.isEmpty)
  }

  @Test("history is the consent part of the audit trail, asked for by the service for the caller's subject")
  func history() async throws {
    let service = try await RunningConsent()
    let page = try await service.call(
      ConsentMethods.history, ConsentHistoryParams(category: "analytics", limit: 10))
    #expect(page.items.map(\.kind) == ["consent.decided"] && page.items[0].actor == "service:consent-service")
    let asked = try #require(service.asked.withLock { $0 })
    #expect(asked.accountId == "maya" && asked.deviceId == nil && asked.kind == "consent.*" && asked.limit == 10)
    _ = try await service.call(ConsentMethods.history, ConsentHistoryParams(), as: .phone)
    #expect(service.asked.withLock { $0 }?.deviceId == "phone")
    let other = ConsentHistoryParams(accountId: "noah")
    #expect(await service.refusal(ConsentMethods.history, other)?.code == .permissionDenied)
  }

  @Test("an app's default regulation arrives by event and holds for unknown regions")
  func defaultRegulation() async throws {
    let service = try await RunningConsent()
    let deliver = { (seq: Int64, regulation: String?) in
      let payload = try JSON.decode(
        JSONValue.self,
        from: JSON.encode(AppEventPayload(defaultLocale: "en", defaultRegulation: regulation)))
      let record = AuditRecord(
        entryId: "e\(seq)", kind: "app.published", timestamp: noon, facts: [:], personal: [:])
      let event = Event(
        source: "account-service", epoch: "1", app: "default", subject: "x:app", generation: 1, seq: seq,
        entryId: "e\(seq)", kind: "app.published", records: [record], payload: payload)
      _ = try await service.call(
        EventMethods.deliver, DeliverParams(events: [event]), as: Principal(kind: .service, name: "account-service"))
    }
    let revision = { try await service.call(ConsentMethods.catalog, ConsentCatalogParams()).revision }
    let start = try await revision()
    try await deliver(1, nil)
    #expect(try await revision() == start)
    try await deliver(2, "ccpa")
    try await deliver(3, "ccpa")
    #expect(try await revision() == start + 1)
    #expect(try await service.get().regulation == "ccpa")
    #expect(try await service.check("marketing").reason == .optOutDefault)
    try await deliver(4, nil)
    try await deliver(5, nil)
    #expect(try await revision() == start + 2)
    #expect(try await service.get().regulation == "generic")
    let other = Principal(kind: .service, name: "permission-service")
    let forged = DeliverParams(events: [
      Event(
        source: "account-service", epoch: "1", app: "default", subject: "x:app", generation: 1, seq: 6, entryId: "e",
        kind: "app.published", records: [])
    ])
    #expect(await service.refusal(EventMethods.deliver, forged, as: other)?.code == .permissionDenied)
  }
}
