// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Logging
import Metrics
import Testing
import Tracing

@testable import OTLP

/// Without a collector; with one: Tests/e2e/test_tracing.py.
@Suite struct SpanExporterTests {
  private func span(_ ids: inout TraceIDs) -> Span {
    Span(
      ids.span(for: nil, Sampler(ratio: 1, followsParent: true)), name: "consent.check", began: 1, ended: 2, error: nil,
      requestId: "r")
  }

  @Test func `spans that find no room, or no collector, are counted and nobody waits`() throws {
    var configuration = OTLPConfiguration(endpoint: "http://127.0.0.1:9/v1/traces", program: "x")
    configuration.queue = 4
    configuration.batch = 4
    configuration.delay = 600_000
    let metrics = MetricsRegistry()
    // Its thread sleeps, or is at a request that nobody takes.
    let exporter = try SpanExporter(configuration, metrics, .silent)
    var ids = TraceIDs(seed: 1)
    for _ in 0..<1_000 { exporter.record(span(&ids)) }
    exporter.stop(grace: 2_000)
    let values = metrics.values
    func count(_ outcome: String) -> Double { values["assent_trace_spans_total{outcome=\"\(outcome)\"}"] ?? -1 }
    #expect(count("exported") == 0 && count("queueFull") > 900)
    #expect(count("queueFull") + count("notExported") == 1_000)
  }

  @Test func `an endpoint that is no URL is refused at the start`() {
    #expect(throws: (any Error).self) {
      try SpanExporter(OTLPConfiguration(endpoint: "http://[/", program: "x"), MetricsRegistry(), .silent)
    }
  }
}
