// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import Metrics
internal import RPC

/// What the gateway counts of credentials.
struct AuthMetrics {
  /// Why calls are refused before they begin, as `error.data.reason` says it; anything else counts as `_OTHER`.
  private static let reasons = [
    "unknownCredential", "expired", "keyRevoked", "sessionEnded", "authorizationScheme", "failureLimit",
    "verificationQueue", "authenticationUnavailable", "unauthenticated", "permissionDenied",
  ]
  private let failures: [String: Counter]
  private let other: Counter

  init(_ metrics: MetricsRegistry, _ authenticator: Authenticator) {
    func counter(_ reason: String) -> Counter {
      metrics.counter(
        "assent_auth_failures_total", "Calls refused for their credential, or the lack of one",
        labels: [("reason", reason)])
    }
    failures = Dictionary(uniqueKeysWithValues: AuthMetrics.reasons.map { ($0, counter($0)) })
    other = counter("_OTHER")
    metrics.reading(
      "assent_auth_staleness_seconds", "Age of the newest news of revoked keys and sessions; over 1 nobody is believed"
    ) { [newsAt = authenticator.newsAt] in
      Double(MonotonicClock.milliseconds() - Int64(newsAt.value)) / 1000
    }
  }

  func count(_ refusal: RPCError) { (failures[refusal.reason] ?? other).increment() }
}
