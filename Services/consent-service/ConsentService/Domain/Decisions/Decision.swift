// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// What the record says about one category. Times are milliseconds since 1970.
struct Decision: Sendable, Hashable {
  enum Status: String, Sendable {
    case granted, denied
    /// Was reset.
    case notDetermined
  }
  var category: String
  var status: Status
  /// When the person decided, at the latest when it was received.
  var at: Int64
  /// The policy version it was about.
  var version: Int
  var method: ConsentMethod
  /// The version was not the live one when the decision arrived: evidence, and the person is asked again.
  var outdated: Bool?
  /// The person opted out then. Only a confirmed opt-in clears it.
  var optedOutAt: Int64?
  /// A refusal was reset: the default of an opt-out regulation no longer speaks for this person.
  var refusedBefore: Bool?
  /// The person confirmed the grant although Global Privacy Control said no.
  var gpcConfirmed: Bool?

  /// The person said yes or no, and did not take it back.
  var isExplicit: Bool { status != .notDetermined }
}
