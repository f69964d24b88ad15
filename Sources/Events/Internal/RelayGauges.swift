// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import Metrics
internal import RPC

/// What a relay counts for one subscriber.
struct RelayGauges: Sendable {
  let rows: Gauge
  /// Of the oldest row, in milliseconds since 1970; 0 when there is none.
  let oldest = Gauge()
  let delivered: Counter
  let gaps: Counter
  let conflicts: Counter

  init(subscriber: String, _ registry: MetricsRegistry?, _ clock: any WallClock) {
    let labels = [("subscriber", subscriber)]
    let registry = registry ?? MetricsRegistry()
    rows = registry.gauge(
      "assent_outbox_rows", "Events not acknowledged yet, counted up to 10000 an app", labels: labels)
    delivered = registry.counter("assent_relay_delivered_total", "Events acknowledged", labels: labels)
    gaps = registry.counter("assent_relay_gaps_total", "Events that came before their turn", labels: labels)
    conflicts = registry.counter(
      "assent_relay_conflicts_total", "Events in whose place the subscriber has another: two histories exist",
      labels: labels)
    registry.reading(
      "assent_outbox_oldest_age_seconds", "Age of the oldest event not acknowledged yet", labels: labels
    ) { [oldest] in
      oldest.value == 0 ? 0 : Double(max(0, Int(clock.now().milliseconds) - oldest.value)) / 1000
    }
  }
}
