// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Events
import JSONRPC
import RPC
import SettingsContracts
import Testing

@testable import ConsentService

@Suite("An opt-out and what comes after it")
struct StandingOptOutTests {
  static let categories = PolicyVersion.builtIn.policy.categories
  /// A category that sells is new, and one that is there sells now.
  static let more =
    categories.map { $0.id == "functional" ? category("functional", [.sale]) : $0 } + [category("partners", [.sale])]

  /// Ways to say no to all that sells or shares.
  enum Way: String, CaseIterable, Sendable, CustomStringConvertible {
    case optOut, denyAll, withdraw, decide, signal
    var description: String { rawValue }
  }

  private static func say(_ way: Way, _ service: RunningConsent, as principal: Principal) async throws {
    switch way {
    case .optOut: _ = try await service.call(ConsentMethods.optOut, ConsentRefuseParams(), as: principal)
    case .denyAll: _ = try await service.call(ConsentMethods.denyAll, ConsentRefuseParams(), as: principal)
    case .withdraw: _ = try await service.call(ConsentMethods.withdraw, ConsentWithdrawParams(), as: principal)
    case .decide: _ = try await service.decide(["marketing": false], as: principal)
    case .signal:
      _ = try await service.call(ConsentMethods.signal, ConsentSignalParams(gpc: true), as: principal)
      _ = try await service.call(ConsentMethods.signal, ConsentSignalParams(gpc: false), as: principal)
    }
  }

  private static func publish(
    _ number: Int, _ service: RunningConsent, _ categories: [ConsentPolicy.Category] = more
  ) async throws {
    let policy = ConsentPolicy(
      version: number, material: false, categories: categories, notices: PolicyVersion.builtIn.policy.notices)
    _ = try await service.call(ConsentMethods.publishPolicy, policy, as: .admin)
  }

  @Test("covers what sells later, until that is confirmed", arguments: Way.allCases)
  func later(way: Way) async throws {
    let service = try await RunningConsent()
    try await service.live(in: "US", "CA")
    try await Self.say(way, service, as: .maya)
    try await Self.publish(2, service)
    for id in ["marketing", "partners", "functional"] {
      let answer = try await service.check(id)
      #expect(!answer.allowed, "\(id)")
    }
    #expect(try await service.check("partners").reason == .optedOut)
    let state = try await service.get()
    #expect(state["partners"].status == .notDetermined && state["partners"].reason == .optedOut)
    #expect(!state.needsConsent)
    // Nothing but a confirmed yes ends it, for its category.
    _ = try await service.call(ConsentMethods.reset, ConsentWithdrawParams())
    let error = await #expect(throws: RPCError.self) { try await service.decide(["partners": true], version: 2) }
    #expect(error?.details["confirm"] == ["optInAfterOptOut"])
    let confirmed = try await service.decide(["partners": true], version: 2, confirm: [.optInAfterOptOut])
    #expect(confirmed["partners"].reason == .granted && confirmed["partners"].allowed)
    #expect(!confirmed["marketing"].allowed && !confirmed["functional"].allowed)
    // What was confirmed is not asked again.
    #expect(try await service.decide(["partners": true], version: 2)["partners"].allowed)
    try await Self.publish(3, service, Self.more + [category("brokers", [.sale])])
    #expect(try await service.check("brokers").reason == .optedOut)
    #expect(try await service.check("partners").allowed)
  }

  @Test("is a device's too, and becomes the account's with a link")
  func device() async throws {
    let service = try await RunningConsent()
    try await service.live(in: "US", "CA", as: .phone)
    try await service.live(in: "US", "CA")
    _ = try await service.call(ConsentMethods.optOut, ConsentRefuseParams(), as: .phone)
    try await Self.publish(2, service)
    #expect(try await service.check("partners", account: nil, device: "phone").reason == .optedOut)
    #expect(try await service.check("partners").reason == .optOutDefault)
    _ = try await service.call(ConsentMethods.link, ConsentLinkParams(deviceToken: "device:phone"))
    #expect(try await service.check("partners").reason == .optedOut)
  }

  @Test("is not lifted by a device's yes")
  func linkedYes() async throws {
    let service = try await RunningConsent()
    try await service.live(in: "US", "CA")
    _ = try await service.call(ConsentMethods.optOut, ConsentRefuseParams())
    try await Self.publish(2, service)
    service.clock.advance(1000)
    _ = try await service.decide(["partners": true], version: 2, as: .phone)
    let linked = try await service.call(ConsentMethods.link, ConsentLinkParams(deviceToken: "device:phone"))
    #expect(!linked["partners"].allowed && linked["partners"].reason == .optedOut)
  }

  @Test("is evidence also where nothing sells yet")
  func nothingSells() async throws {
    let service = try await RunningConsent()
    try await Self.publish(2, service, [category("essential", required: true), category("analytics")])
    try await service.live(in: "US", "CA")
    let out = try await service.call(ConsentMethods.optOut, ConsentRefuseParams())
    let record = try #require(try await service.records().last)
    #expect(out.entryId == record.entryId && record.kind == "consent.optedOut")
    #expect(record.facts["optOutOf"] == ["sale", "sharing"] && record.facts["status"] == "denied")
    #expect(record.facts["category"] == nil && out["analytics"].allowed)
    try await Self.publish(3, service)
    #expect(try await service.check("partners").reason == .optedOut)
  }

  @Test("a refusal of one of two that sell is of that one")
  func single() async throws {
    let service = try await RunningConsent()
    try await Self.publish(2, service)
    try await service.live(in: "US", "CA")
    let state = try await service.decide(["marketing": false], version: 2)
    #expect(state["partners"].reason == .optOutDefault && state["marketing"].reason == .optedOut)
  }

  @Test("a yes that was said offline before it comes too late")
  func offline() async throws {
    let service = try await RunningConsent()
    try await service.live(in: "US", "CA")
    _ = try await service.call(ConsentMethods.optOut, ConsentRefuseParams())
    try await Self.publish(2, service)
    let state = try await service.decide(
      ["partners": true], version: 2, occurredAt: noon + -1000, confirm: [.optInAfterOptOut])
    #expect(!state["partners"].allowed && state.superseded?.map(\.category) == ["partners"])
  }

  @Test("records of before opt-outs were kept as such say it by their decisions")
  func stored() throws {
    let text = #"{"decisions":"marketing denied 1767225600000 1 save optedOut=1767225600000"}"#
    let record = try JSON.decode(ConsentRecord.self, from: text)
    let policy = history(version(1), version(2, material: false, Self.more))
    let standing = record.withStandingOptOut(policy, RegulationTable.builtIn.optOutUses)
    #expect(standing.optOut == StandingOptOut(at: 1_767_225_600_000, method: .save))
    #expect(try JSON.decode(ConsentRecord.self, from: JSON.encode(standing)) == standing)
    // Version 2 has more that sells than was opted out of.
    let single = try JSON.decode(ConsentRecord.self, from: text.replacing(" 1 save", with: " 2 save"))
    #expect(single.withStandingOptOut(policy, RegulationTable.builtIn.optOutUses).optOut == nil)
  }

  @Test("two histories of one record keep it, against a yes that did not know of it")
  func joined() {
    var record = ConsentRecord(optOut: StandingOptOut(at: 5, method: .save))
    record.join(ConsentRecord(decisions: [decision("partners", .granted, at: Timestamp(milliseconds: 9))]))
    #expect(record.optOut == StandingOptOut(at: 10, method: .save))
    var unaware = ConsentRecord(decisions: [decision("partners", .granted, at: Timestamp(milliseconds: 9))])
    unaware.join(ConsentRecord(optOut: StandingOptOut(at: 5, method: .gpc)))
    #expect(unaware.optOut == StandingOptOut(at: 10, method: .gpc))
  }
}
