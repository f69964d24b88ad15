// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import SettingsContracts
import Testing

@testable import ConsentService

/// What two histories of one record come to: the first is what audit-service knew, the second went on from the backup.
@Suite struct JoinTests {
  struct Case: Sendable {
    /// Status and moment; an exclamation mark for an opt-out.
    var first: String?
    var second: String?
    var joined: String?
  }

  static let cases = [
    Case(first: nil, second: "granted 5", joined: "granted 5"),
    Case(first: "denied 7", second: nil, joined: "denied 7"),
    // The withdrawal came after what the second history still has.
    Case(first: "denied 7", second: "granted 5", joined: "denied 7"),
    // The person decided again since, either way.
    Case(first: "denied 7", second: "granted 9", joined: "granted 9"),
    Case(first: "granted 7", second: "denied 9", joined: "denied 9"),
    Case(first: "granted 7", second: "denied 5", joined: "granted 7"),
    Case(first: "granted 7", second: "denied 7", joined: "denied 7"),
    Case(first: "denied 7", second: "granted 7", joined: "denied 7"),
    // A yes that knows nothing of an opt-out does not lift it.
    Case(first: "denied! 7", second: "granted 9", joined: "denied! 7"),
    Case(first: "denied! 7", second: "denied 9", joined: "denied! 9"),
    Case(first: "granted 7", second: "denied! 9", joined: "denied! 9"),
    Case(first: "denied 7", second: "notDetermined 9", joined: "notDetermined 9"),
    Case(first: "denied 9", second: "notDetermined 7", joined: "denied 9"),
  ]

  private static func record(_ text: String?) -> ConsentRecord {
    guard let text else { return ConsentRecord() }
    let words = text.split(separator: " ").map(String.init)
    let at = Int64(words[1])!
    let status = Decision.Status(rawValue: words[0].filter { $0 != "!" })!
    return ConsentRecord(decisions: [
      Decision(
        category: "analytics", status: status, at: at, version: 1, method: .save,
        optedOutAt: words[0].hasSuffix("!") ? at : nil)
    ])
  }

  @Test(arguments: cases) func theLaterDecisionStandsAndNoRefusalIsLost(_ joined: Case) {
    var record = Self.record(joined.first)
    record.join(Self.record(joined.second))
    let decision = record["analytics"]
    let expected = Self.record(joined.joined)["analytics"]
    #expect(decision?.status == expected?.status)
    #expect(decision?.at == expected?.at)
    #expect((decision?.optedOutAt != nil) == (expected?.optedOutAt != nil))
  }

  @Test func theYoungerAgeAndTheSignalsOfBothStay() {
    var record = ConsentRecord(
      subject: SubjectFacts(age: .age13), devices: [DeviceSignals(device: "phone", gpc: true, gpcAt: 5)])
    record.join(
      ConsentRecord(
        subject: SubjectFacts(age: .adult), devices: [DeviceSignals(device: "tablet", gpc: true, gpcAt: 6)]))
    #expect(record.facts.ageBand == .age13)
    #expect(record.devices?.map(\.device) == ["phone", "tablet"])
  }
}
