// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
public import Metrics

/// The metrics of whoever answers calls: a service's dispatcher, and the gateway.
///
/// Source: OpenTelemetry's semantic conventions for RPC and JSON-RPC: `rpc.server.call.duration` with `rpc.system.name`,
/// `rpc.method`, `rpc.response.status_code` and `error.type`.
public enum RPCMetrics {
  /// In place of the name of a method that does not exist: callers must not be able to make up new series.
  public static let otherMethod = "_OTHER"

  public static func durations(of method: String, in metrics: MetricsRegistry?) -> CallDurations {
    metrics?.calls(
      "rpc_server_call_duration_seconds", "From a call's receipt to its answer", labels: labels(method),
      nameOfCode: { errorType($0) }) ?? CallDurations()
  }

  public static func register(_ inFlight: Gauge, of method: String, in metrics: MetricsRegistry?) {
    metrics?.reading("rpc_server_active_requests", "Calls running now", labels: labels(method)) {
      Double(inFlight.value)
    }
  }

  /// `error.type` of a code; codes that are not the contract's are one.
  static func errorType(_ code: Int) -> String { ErrorCode(rawValue: code).status }

  private static func labels(_ method: String) -> [(String, String)] {
    [("rpc_system_name", "jsonrpc"), ("rpc_method", method)]
  }
}

extension CallDurations {
  /// A call that was answered with an error. Codes that are not the contract's count as one.
  public func recordFailure(_ code: Int, nanoseconds: UInt64) {
    let isKnown = RPCMetrics.errorType(code) != RPCMetrics.errorType(0)
    recordFailure(code: isKnown ? code : 0, nanoseconds: nanoseconds)
  }
}

extension MethodStatistics {
  public init(_ name: String, _ durations: CallDurations, inFlight: Int) {
    let failures = durations.failures.map { (RPCMetrics.errorType($0.code), $0.histogram.count) }
    self.init(
      name: name, calls: durations.calls, errors: failures.reduce(0) { $0 + $1.1 }, inFlight: inFlight,
      p50Micros: durations.quantileMicroseconds(0.5), p99Micros: durations.quantileMicroseconds(0.99),
      errorsByStatus: failures.isEmpty ? nil : Dictionary(failures, uniquingKeysWith: +))
  }
}
