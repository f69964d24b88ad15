// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import SettingsContracts
import Testing

/// What says of itself that its text is canonical.
@Suite struct CanonicalParamsTests {
  @Test(arguments: [
    ConsentDecideParams(
      policyVersion: 1, decisions: [:], method: .save, context: ConsentContext(appVersion: "1", osVersion: "2")),
    ConsentDecideParams(
      accountId: "maya \"m\"", deviceId: "d", policyVersion: 12,
      decisions: ["b": true, "a": false, "ab": true, "é": false, "Z": true, "\u{1F600}": true, "\u{FB33}": false],
      method: .toggle,
      context: ConsentContext(
        appVersion: "4.2.1", osVersion: "iOS\n26", locale: "de", surface: "banner", surfaceVersion: "3"),
      decisionId: "550e8400-e29b-41d4-a716-446655440000", occurredAt: Timestamp(milliseconds: 1),
      confirm: [.gpcConflict, .optInAfterOptOut]),
  ])
  func decisionsAreWrittenCanonically(params: ConsentDecideParams) throws {
    let text = try JSON.encode(params)
    #expect(try JSON.canonical(RawJSON(text)) == text)
    #expect(try JSON.decode(ConsentDecideParams.self, from: text) == params)
  }
}
