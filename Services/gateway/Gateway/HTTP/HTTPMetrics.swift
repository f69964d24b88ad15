// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import HTTPServer
internal import Metrics
internal import RPC

/// How long HTTP requests take, by route, method and status. Used on the socket thread only.
///
/// Source: OpenTelemetry's semantic conventions for HTTP: `http.server.request.duration`.
final class HTTPMetrics {
  private struct Key: Hashable {
    var route: String
    var method: HTTPMethod
    var status: Int
  }
  private let registry: MetricsRegistry
  private var histograms: [Key: Histogram] = [:]
  /// Of nearly every request, so that it is not looked up.
  private let answeredCalls: Histogram
  private static let routes: Set<String> = ["/rpc", "/metrics", "/health/live", "/health/ready"]

  init(_ registry: MetricsRegistry) {
    self.registry = registry
    answeredCalls = HTTPMetrics.histogram(in: registry, Key(route: "/rpc", method: .post, status: 200))
  }

  /// - Parameter began: in monotonic nanoseconds.
  func countCall(_ status: Int, since began: UInt64) {
    let duration = MonotonicClock.nanoseconds() - began
    if status == 200 { return answeredCalls.record(nanoseconds: duration) }
    histogram(Key(route: "/rpc", method: .post, status: status)).record(nanoseconds: duration)
  }

  /// Paths and methods that are not known count as one.
  func count(_ request: HTTPRequest, _ status: Int, since began: UInt64) {
    let route = HTTPMetrics.routes.contains(request.path) ? request.path : "_OTHER"
    histogram(Key(route: route, method: request.method, status: status))
      .record(nanoseconds: MonotonicClock.nanoseconds() - began)
  }

  private func histogram(_ key: Key) -> Histogram {
    if let known = histograms[key] { return known }
    if key.route == "/rpc", key.method == .post, key.status == 200 { return answeredCalls }
    let made = HTTPMetrics.histogram(in: registry, key)
    histograms[key] = made
    return made
  }

  private static func histogram(in registry: MetricsRegistry, _ key: Key) -> Histogram {
    registry.histogram(
      "http_server_request_duration_seconds", "From a request's receipt to its response",
      labels: [
        ("http_request_method", name(key.method)), ("http_route", key.route),
        ("http_response_status_code", String(key.status)),
      ])
  }

  private static func name(_ method: HTTPMethod) -> String {
    switch method {
    case .get: "GET"
    case .head: "HEAD"
    case .post: "POST"
    case .put: "PUT"
    case .delete: "DELETE"
    case .options: "OPTIONS"
    case .other: "_OTHER"
    }
  }
}
