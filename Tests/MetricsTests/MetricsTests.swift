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

  @Test func aHistogramWithoutRecordingsIsNamedAndHasNoSamples() {
    let registry = MetricsRegistry()
    _ = registry.histogram("e_seconds", "Empty\\ \n\"help\"")
    #expect(registry.render() == "# HELP e_seconds Empty\\\\ \\n\"help\"\n# TYPE e_seconds histogram\n")
  }

  @Test func callsAreCountedByOutcome() {
    let registry = MetricsRegistry()
    let calls = registry.calls("f_seconds", "Calls", labels: [("m", "x")]) { $0 == -1 ? "BAD" : "_OTHER" }
    for _ in 0..<3 { calls.succeeded.record(nanoseconds: 1_000_000) }
    calls.recordFailure(code: -1, nanoseconds: 8_000_000)
    calls.recordFailure(code: -1, nanoseconds: 8_000_000)
    calls.recordFailure(code: -2, nanoseconds: 8_000_000)
    #expect(calls.calls == 6 && calls.errors == 3)
    #expect(calls.failures.map(\.code) == [-1, -2])
    #expect(calls.quantileMicroseconds(0.5) == 1048 && calls.quantileMicroseconds(0.9) == 8388)
    let text = registry.render()
    #expect(text.contains("f_seconds_count{m=\"x\"} 3\n"))
    #expect(text.contains("f_seconds_count{m=\"x\",rpc_response_status_code=\"-1\",error_type=\"BAD\"} 2\n"))
    #expect(text.contains("f_seconds_sum{m=\"x\"} 0.003\n"))
  }

  @Test func sizesCountedElsewhereAreAHistogram() {
    let registry = MetricsRegistry()
    registry.sizes("g_size", "Sizes", bounds: [1, 2]) { ([3, 0, 1], 7.5) }
    #expect(
      registry.render() == """
        # HELP g_size Sizes
        # TYPE g_size histogram
        g_size_bucket{le="1"} 3
        g_size_bucket{le="2"} 3
        g_size_bucket{le="+Inf"} 4
        g_size_sum 7.5
        g_size_count 4

        """)
  }

  @Test func valuesAreTheNumbersByNameAndLabels() {
    let registry = MetricsRegistry()
    registry.gauge("a", "A", labels: [("x", "1"), ("y", "2")]).set(4)
    registry.counter("b_total", "B").increment()
    _ = registry.histogram("c_seconds", "C")
    #expect(registry.values == ["a{x=\"1\",y=\"2\"}": 4, "b_total": 1])
  }

  @Test func theProcessSaysWhatItUses() {
    let registry = MetricsRegistry()
    ProcessMetrics.register(in: registry)
    let values = registry.values
    let memory: Double = values["process_resident_memory_bytes"] ?? 0
    #expect(memory > Double(1 << 20))
    let open: Double = values["process_open_fds"] ?? 0
    #expect(open >= 3)
    #expect(open <= values["process_max_fds"] ?? 0)
    #expect(values["process_cpu_seconds_total"] ?? -1 >= 0)
    #expect(values["process_start_time_seconds"] ?? 0 > 1e9)
  }
}
