// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Metrics

/// A registered method with its counters.
final class MethodEntry: Sendable {
  let method: RegisteredMethod
  let access: Access
  /// Answered by the dispatcher itself, which knows the connection.
  let isCancel: Bool
  let inFlight = Gauge()
  let durations: CallDurations

  init(_ method: RegisteredMethod, metrics: MetricsRegistry?) {
    self.method = method
    access = method.descriptor.access
    isCancel = method.descriptor.name == RuntimeMethods.cancel.name
    durations = RPCMetrics.durations(of: method.descriptor.name, in: metrics)
    RPCMetrics.register(inFlight, of: method.descriptor.name, in: metrics)
  }

  var statistics: MethodStatistics { MethodStatistics(method.descriptor.name, durations, inFlight: inFlight.value) }
}
