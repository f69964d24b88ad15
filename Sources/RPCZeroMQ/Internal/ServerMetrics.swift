// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Metrics

/// What a server counts of its sockets.
struct ServerMetrics: Sendable {
  let repliesDropped: Counter
  let acceptFailures: Counter

  init(_ registry: MetricsRegistry?) {
    func counter(_ name: String, _ help: String) -> Counter { registry?.counter(name, help) ?? Counter() }
    repliesDropped = counter(
      "assent_zeromq_replies_dropped_total", "Replies whose client was gone or too far behind")
    acceptFailures = counter(
      "assent_zeromq_accept_failures_total", "Connections that could not be accepted: descriptors have run out")
  }
}
