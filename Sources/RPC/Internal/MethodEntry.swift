// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Metrics

/// A registered method with its counters.
final class MethodEntry: Sendable {
  let method: RegisteredMethod
  let access: Access
  /// Answered by the dispatcher itself, which knows the connection.
  let isCancel: Bool
  let calls: Counter
  let errors: Counter
  let inFlight = Gauge()
  let latency: Histogram

  init(_ method: RegisteredMethod, metrics: MetricsRegistry?) {
    self.method = method
    access = method.descriptor.access
    isCancel = method.descriptor.name == RuntimeMethods.cancel.name
    let labels = [("rpc_method", method.descriptor.name)]
    calls = metrics?.counter("assent_rpc_server_calls_total", "Calls answered", labels: labels) ?? Counter()
    errors =
      metrics?.counter("assent_rpc_server_errors_total", "Calls answered with an error", labels: labels) ?? Counter()
    latency =
      metrics?.histogram("assent_rpc_server_duration_seconds", "From receipt to reply", labels: labels) ?? Histogram()
  }

  var statistics: MethodStatistics {
    MethodStatistics(
      name: method.descriptor.name, calls: calls.value, errors: errors.value, inFlight: inFlight.value,
      p50Micros: latency.quantileMicroseconds(0.5), p99Micros: latency.quantileMicroseconds(0.99))
  }
}
