// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Events
import JSONRPC
import RPC
import SettingsContracts
import Testing

@testable import ConsentService

@Suite("Signals and links of consent-service")
struct SignalServiceTests {
  @Test("a device's Global Privacy Control masks and writes no decision; its absence lifts the mask")
  func deviceGPC() async throws {
    let service = try await RunningConsent()
    try await service.live(in: "US", "CA", as: .phone)
    let on = try await service.call(ConsentMethods.signal, ConsentSignalParams(gpc: true), as: .phone)
    #expect(on.signals.gpc == .init(present: true, honored: true, at: noon))
    #expect(on["marketing"].reason == .gpc && on["marketing"].status == .notDetermined)
    #expect(on["analytics"].reason == .optOutDefault)
    let again = try await service.call(ConsentMethods.signal, ConsentSignalParams(gpc: true), as: .phone)
    #expect(again.entryId == nil && again.revision == on.revision)
    let off = try await service.call(ConsentMethods.signal, ConsentSignalParams(gpc: false), as: .phone)
    #expect(off["marketing"].reason == .optOutDefault && !off.signals.gpc.present)
    #expect(try await service.records().map(\.kind).filter { $0 == "consent.decided" }.isEmpty)
  }

  @Test("a person's Global Privacy Control is an opt-out that outlasts the signal")
  func personGPC() async throws {
    let service = try await RunningConsent()
    try await service.live(in: "US", "CA")
    let on = try await service.call(ConsentMethods.signal, ConsentSignalParams(gpc: true))
    #expect(on["marketing"].status == .denied && on["marketing"].method == .gpc)
    #expect(on["marketing"].reason == .optedOut && on["analytics"].allowed)
    let off = try await service.call(ConsentMethods.signal, ConsentSignalParams(gpc: false))
    #expect(off["marketing"].reason == .optedOut)
    #expect(try await service.check("marketing").allowed == false)
  }

  @Test("the header Sec-GPC counts as the signal, and is kept when the screen is read")
  func header() async throws {
    let service = try await RunningConsent()
    try await service.live(in: "US", "CA")
    let params = ConsentCheckParams(category: "marketing")
    #expect(try await service.call(ConsentMethods.check, params).reason == .optOutDefault)
    let state = try await service.call(ConsentMethods.get, ConsentGetParams(), gpc: true)
    #expect(state["marketing"].method == .gpc && state.entryId != nil)
    let again = try await service.call(ConsentMethods.get, ConsentGetParams(), gpc: true)
    #expect(again.entryId == nil && again.revision == state.revision)
    #expect(try await service.call(ConsentMethods.check, params).reason == .optedOut)
    // A server's own browser settings say nothing about the person it asks for.
    try await service.live(in: "US", "CA", as: Principal(kind: .user, accountId: "noah", deviceId: "pc"))
    let asked = ConsentCheckParams(accountId: "noah", category: "marketing")
    #expect(try await service.call(ConsentMethods.check, asked, as: .tracker, gpc: true).allowed)
  }

  /// Calls of a person that are no writes, or are refused.
  enum Call: String, CaseIterable, Sendable, CustomStringConvertible {
    case check, checkMany, history, grantAll, unknownVersion
    var description: String { rawValue }
  }

  @Test("the header is kept with whatever call it comes, once", arguments: Call.allCases)
  func headerOfOtherCalls(call: Call) async throws {
    let service = try await RunningConsent()
    try await service.live(in: "US", "CA")
    let say = {
      switch call {
      case .check:
        let params = ConsentCheckParams(category: "marketing")
        #expect(try await service.call(ConsentMethods.check, params, gpc: true).allowed == false)
      case .checkMany:
        let params = ConsentCheckManyParams(checks: [.init(category: "marketing"), .init(category: "analytics")])
        let results = try await service.call(ConsentMethods.checkMany, params, gpc: true).results
        #expect(results.map(\.allowed) == [false, true])
      case .history:
        _ = try await service.call(ConsentMethods.history, ConsentHistoryParams(), gpc: true)
      case .grantAll, .unknownVersion:
        let params = ConsentGrantAllParams(policyVersion: call == .grantAll ? 1 : 7, context: .app)
        for _ in 0..<2 {
          let error = await #expect(throws: RPCError.self) {
            try await service.call(ConsentMethods.grantAll, params, key: "again", gpc: true)
          }
          #expect(error?.reason == (call == .grantAll ? "confirmationRequired" : "invalidParams"))
        }
      }
    }
    try await say()
    #expect(try await service.check("marketing").reason == .optedOut)
    let kinds = try await service.records().map(\.kind)
    #expect(kinds == ["consent.subjectSet", "consent.signalled", "consent.decided"])
    try await say()
    #expect(try await service.records().count == kinds.count)
  }

  @Test("a choice against the signal is confirmed, stored with the conflict, and stands")
  func conflict() async throws {
    let service = try await RunningConsent()
    try await service.live(in: "US", "CA", as: .phone)
    _ = try await service.call(ConsentMethods.signal, ConsentSignalParams(gpc: true), as: .phone)
    let error = await #expect(throws: RPCError.self) { try await service.decide(["marketing": true], as: .phone) }
    #expect(error?.details["confirm"] == ["gpcConflict"])
    let state = try await service.decide(["marketing": true], as: .phone, confirm: [.gpcConflict])
    #expect(state["marketing"].allowed && state.signals.gpc.present)
    let record = try #require(try await service.records().last)
    #expect(record.facts["confirmed"] == ["gpcConflict"])
  }

  @Test("ATT masks what tracks across apps, by device, and overwrites nothing")
  func att() async throws {
    let service = try await RunningConsent()
    _ = try await service.decide(["marketing": true, "analytics": true])
    let denied = try await service.call(ConsentMethods.signal, ConsentSignalParams(att: .denied))
    #expect(denied["marketing"].reason == .att && denied["marketing"].status == .granted)
    #expect(denied["analytics"].allowed && denied.signals.att == .denied)
    // Another device of hers has said nothing; without a device the strictest counts.
    #expect(try await service.check("marketing", device: "laptop").allowed)
    #expect(try await service.check("marketing", device: "phone").reason == .att)
    #expect(try await service.check("marketing").reason == .att)
    let authorized = try await service.call(ConsentMethods.signal, ConsentSignalParams(att: .authorized))
    #expect(authorized["marketing"].allowed)
    let nothing = await service.refusal(ConsentMethods.signal, ConsentSignalParams())
    #expect(nothing?.code == .invalidParams)
  }

  @Test("what a device signalled before sign-in counts for the account on that device")
  func beforeSignIn() async throws {
    let service = try await RunningConsent()
    _ = try await service.call(ConsentMethods.signal, ConsentSignalParams(att: .denied), as: .phone)
    let state = try await service.decide(["marketing": true])
    #expect(state["marketing"].reason == .att)
    #expect(try await service.check("marketing", device: "phone").reason == .att)
  }

  @Test("linking brings a device's decisions, with their source, once")
  func link() async throws {
    let service = try await RunningConsent()
    _ = try await service.decide(["analytics": true, "marketing": true, "functional": false], as: .phone)
    service.clock.advance(1000)
    _ = try await service.decide(["marketing": false])
    let linked = try await service.call(ConsentMethods.link, ConsentLinkParams(deviceToken: "device:phone"))
    #expect(linked["analytics"].status == .granted && linked["analytics"].method == .link)
    #expect(linked["analytics"].decidedAt == noon)
    #expect(linked["marketing"].status == .denied && linked["functional"].status == .denied)
    let records = try await service.records().filter { $0.kind == "consent.linked" }
    #expect(records.map { $0.facts["category"] } == ["analytics", "functional"])
    #expect(records[0].facts["source"] == "device" && records[0].personal["sourceDeviceId"] == "phone")
    let again = try await service.call(ConsentMethods.link, ConsentLinkParams(deviceToken: "device:phone"))
    #expect(again.entryId == nil && again.revision == linked.revision)
  }

  @Test("a device's signal becomes the opt-out of the person it is linked to")
  func linkedSignal() async throws {
    let service = try await RunningConsent()
    try await service.live(in: "US", "CA", as: .phone)
    _ = try await service.call(ConsentMethods.signal, ConsentSignalParams(gpc: true), as: .phone)
    let linked = try await service.call(
      ConsentMethods.link, ConsentLinkParams(deviceToken: "device:phone"),
      as: Principal(kind: .user, accountId: "noah", deviceId: "laptop"))
    #expect(linked.regulation == "ccpa" && linked["marketing"].method == .gpc)
    #expect(try await service.check("marketing", account: "noah").reason == .optedOut)
  }

  @Test("only a device's own good token links", arguments: ["", "garbage", "user:maya"])
  func token(text: String) async throws {
    let service = try await RunningConsent()
    let error = await service.refusal(ConsentMethods.link, ConsentLinkParams(deviceToken: text))
    #expect(error?.code == .invalidParams && error?.field == "deviceToken")
    #expect(error?.message.contains("maya") == false)
    let device = ConsentLinkParams(deviceToken: "device:phone")
    #expect(await service.refusal(ConsentMethods.link, device, as: .phone)?.code == .permissionDenied)
  }
}
