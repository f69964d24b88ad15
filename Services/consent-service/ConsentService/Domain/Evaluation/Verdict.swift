// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// What is to be said of one category at one moment.
struct Verdict: Sendable, Hashable {
  var status: ConsentStatus
  var allowed: Bool
  var reason: ConsentReason
  /// Why the person should be asked about it.
  var prompt: ConsentPromptReason = .none
}

/// What is to be said of a person at one moment.
struct Evaluation: Sendable, Hashable {
  /// By the live version's categories, in its order.
  var verdicts: [Verdict]
  var promptReason: ConsentPromptReason
  /// When anything above changes by itself next.
  var reviewAt: Timestamp?

  var needsConsent: Bool { promptReason != .none }
}
