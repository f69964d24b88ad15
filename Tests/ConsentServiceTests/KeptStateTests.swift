// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import SettingsContracts
import Testing

@testable import ConsentService

/// What is kept of an answer gives all of it back but the policy's texts.
@Suite struct KeptStateTests {
  private static let categories = [
    ConsentState.Category(
      id: "essential", displayName: "", explanation: "", required: true, status: .granted, allowed: true,
      reason: .required),
    ConsentState.Category(
      id: "analytics", displayName: "", explanation: "", required: false, status: .denied, allowed: false,
      reason: .optedOut, decidedAt: Timestamp(milliseconds: 1_767_225_600_123), policyVersion: 12, method: .gpc),
    ConsentState.Category(
      id: "ads_2", displayName: "", explanation: "", required: false, status: .notDetermined, allowed: true,
      reason: .optOutDefault, decidedAt: Timestamp(milliseconds: -1), policyVersion: 1, method: .import),
    ConsentState.Category(
      id: "x", displayName: "", explanation: "", required: true, status: .notApplicable, allowed: false, reason: .minor),
  ]

  private static func state(_ categories: [ConsentState.Category], isFull: Bool) -> ConsentState {
    ConsentState(
      regulation: "ccpa", policyVersion: 12, notice: ConsentNotice(title: "", text: "", hash: "", locale: "de-AT"),
      needsConsent: true, promptReason: .policyChanged, summary: "1 von 4 \"optionalen\"", enabledCount: 1,
      optionalCount: 4, categories: categories,
      signals: ConsentSignals(
        gpc: .init(present: true, honored: false, at: isFull ? Timestamp(milliseconds: 5) : nil),
        att: isFull ? .denied : nil),
      reviewAt: isFull ? Timestamp(milliseconds: 99) : nil, country: isFull ? "US" : nil,
      subdivision: isFull ? "US-CA" : nil, ageBand: .unknown, revision: 7, entryId: isFull ? "e" : nil,
      superseded: isFull
        ? [
          .init(
            category: "analytics", status: .granted, occurredAt: Timestamp(milliseconds: 1), policyVersion: 2,
            entryId: "f")
        ] : nil)
  }

  @Test(arguments: [state(categories, isFull: true), state(categories, isFull: false), state([], isFull: false)])
  func comesBackWhole(state: ConsentState) throws {
    let text = try JSON.encodeString(KeptState(state))
    #expect(try JSON.decode(KeptState.self, from: text).state == state)
  }

  @Test(arguments: [
    "analytics", "analytics allowed granted", "a allowed what granted", "a allowed granted granted x 1 save",
  ])
  func aTextOfAnotherFormIsRefused(categories: String) throws {
    var members = try JSON.decode([String: JSONValue].self, from: JSON.encode(KeptState(Self.state([], isFull: false))))
    members["categories"] = .string(categories)
    #expect(throws: JSONDecodingError.self) { try JSON.decode(KeptState.self, from: JSON.encode(members)) }
  }
}
