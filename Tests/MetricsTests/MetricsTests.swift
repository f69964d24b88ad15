// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Metrics
import Testing

@Suite struct MetricsTests {
  @Test func metricsAreRenderedInPrometheusText() {
    let registry = MetricsRegistry()
    registry.counter("b_total", "Bees", labels: [("kind", "a\"b\\c\nd")]).increment(by: 3)
    registry.gauge("a_now", "Now").set(-2)
    registry.reading("c_age_seconds", "Age") { 1.5 }
    #expect(
      registry.render() == """
        # HELP a_now Now
        # TYPE a_now gauge
        a_now -2
        # HELP b_total Bees
        # TYPE b_total counter
        b_total{kind="a\\"b\\\\c\\nd"} 3
        # HELP c_age_seconds Age
        # TYPE c_age_seconds gauge
        c_age_seconds 1.5

        """)
  }

  @Test func aHistogramCountsIntoCumulativeBuckets() {
    let registry = MetricsRegistry()
    let histogram = registry.histogram("d_seconds", "Durations", labels: [("m", "x")])
    histogram.record(nanoseconds: 1)
    histogram.record(nanoseconds: 20_000)
    histogram.record(nanoseconds: UInt64.max >> 1)
    let text = registry.render()
    #expect(text.contains("d_seconds_bucket{m=\"x\",le=\"1.6384e-05\"} 1\n"))
    #expect(text.contains("d_seconds_bucket{m=\"x\",le=\"3.2768e-05\"} 2\n"))
    #expect(text.contains("d_seconds_bucket{m=\"x\",le=\"+Inf\"} 3\n"))
    #expect(text.contains("d_seconds_count{m=\"x\"} 3\n"))
  }

  static let quantiles: [(recorded: [UInt64], fraction: Double, micros: Int?)] = [
    ([], 0.5, nil), ([10_000], 0.5, 16), ([10_000, 10_000, 5_000_000], 0.5, 16),
    ([10_000, 10_000, 5_000_000], 0.99, 8388),
  ]
  @Test(arguments: quantiles) func quantilesAreUpperBounds(recorded: [UInt64], fraction: Double, micros: Int?) {
    let histogram = Histogram()
    for value in recorded { histogram.record(nanoseconds: value) }
    #expect(histogram.quantileMicroseconds(fraction) == micros)
  }
}
