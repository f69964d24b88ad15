// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Threading

/// Every metric of a process, put together when somebody asks. Names are OpenTelemetry's where it has one, in the spelling
/// that its compatibility rules give them in Prometheus: `rpc.server.call.duration` in seconds is
/// `rpc_server_call_duration_seconds`. What only Assent has begins with `assent_`.
///
/// Readings are taken on the thread that renders.
public final class MetricsRegistry: Sendable {
  private enum Series: Sendable {
    case number(labels: String, @Sendable () -> Double)
    case durations(labels: [(String, String)], Histogram)
    case calls(labels: [(String, String)], CallDurations, nameOfCode: @Sendable (Int) -> String)
    case sizes(bounds: [Double], @Sendable () -> (counts: [Int], sum: Double))
  }
  private struct Family {
    var kind: String
    var help: String
    var series: [Series] = []
  }
  private let families = Lock<[String: Family]>([:])

  public init() {}

  public func counter(_ name: String, _ help: String, labels: [(String, String)] = []) -> Counter {
    let counter = Counter()
    reading(name, help, labels: labels, kind: "counter") { Double(counter.value) }
    return counter
  }

  public func gauge(_ name: String, _ help: String, labels: [(String, String)] = []) -> Gauge {
    let gauge = Gauge()
    reading(name, help, labels: labels) { Double(gauge.value) }
    return gauge
  }

  /// A value that is read when the metrics are.
  public func reading(
    _ name: String, _ help: String, labels: [(String, String)] = [], kind: String = "gauge",
    _ read: @escaping @Sendable () -> Double
  ) {
    add(name, kind, help, .number(labels: Exposition.labels(labels), read))
  }

  /// Durations in seconds. Shown once there is one.
  public func histogram(_ name: String, _ help: String, labels: [(String, String)] = []) -> Histogram {
    let histogram = Histogram()
    add(name, "histogram", help, .durations(labels: labels, histogram))
    return histogram
  }

  /// Durations of one method's calls in seconds, by outcome: failures have the labels `rpc_response_status_code` and
  /// `error_type` more. Shown once there is a call.
  /// - Parameter nameOfCode: what `error_type` says.
  public func calls(
    _ name: String, _ help: String, labels: [(String, String)], nameOfCode: @escaping @Sendable (Int) -> String
  ) -> CallDurations {
    let calls = CallDurations()
    add(name, "histogram", help, .calls(labels: labels, calls, nameOfCode: nameOfCode))
    return calls
  }

  /// A histogram that is counted elsewhere.
  /// - Parameter read: gives a count for each bound and one for what is beyond, not cumulative, and the sum of all values.
  public func sizes(
    _ name: String, _ help: String, bounds: [Double], _ read: @escaping @Sendable () -> (counts: [Int], sum: Double)
  ) {
    add(name, "histogram", help, .sizes(bounds: bounds, read))
  }

  /// The page for Prometheus.
  public func render() -> String {
    var page = Exposition()
    for (name, family) in sorted() {
      page.head(name, kind: family.kind, help: family.help)
      for series in family.series { MetricsRegistry.write(name, series, to: &page) }
    }
    return page.text
  }

  /// Every single number by its name and labels, histograms apart.
  public var values: [String: Double] {
    var values: [String: Double] = [:]
    for (name, family) in sorted() {
      for case .number(let labels, let read) in family.series {
        values[labels.isEmpty ? name : "\(name){\(labels)}"] = read()
      }
    }
    return values
  }

  /// Out of the lock: a reading may take another.
  private func sorted() -> [(key: String, value: Family)] { families.withLock { $0 }.sorted { $0.key < $1.key } }

  private func add(_ name: String, _ kind: String, _ help: String, _ series: Series) {
    families.withLock { $0[name, default: Family(kind: kind, help: help)].series.append(series) }
  }

  private static func write(_ name: String, _ series: Series, to page: inout Exposition) {
    func durations(_ labels: [(String, String)], _ histogram: Histogram) {
      let counts = histogram.counts
      guard counts.contains(where: { $0 > 0 }) else { return }
      page.histogram(
        name, Exposition.labels(labels), bounds: Histogram.bounds, counts: counts,
        sum: Double(histogram.sumNanoseconds) / 1e9)
    }
    switch series {
    case .number(let labels, let read): page.sample(name, labels, read())
    case .durations(let labels, let histogram): durations(labels, histogram)
    case .calls(let labels, let calls, let nameOfCode):
      durations(labels, calls.succeeded)
      for (code, histogram) in calls.failures {
        durations(
          labels + [("rpc_response_status_code", String(code)), ("error_type", nameOfCode(code))], histogram)
      }
    case .sizes(let bounds, let read):
      let (counts, sum) = read()
      page.histogram(name, "", bounds: bounds, counts: counts, sum: sum)
    }
  }
}
