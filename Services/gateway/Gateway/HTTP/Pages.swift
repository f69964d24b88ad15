// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import HTTPServer
internal import Metrics

/// What is served beside calls: health for orchestrators, metrics for Prometheus.
final class Pages {
  private let metrics: MetricsRegistry
  private let isReady: () -> Bool

  /// - Parameter isReady: whether the gateway should get traffic.
  init(_ metrics: MetricsRegistry, isReady: @escaping () -> Bool) {
    self.metrics = metrics
    self.isReady = isReady
  }

  func page(for request: HTTPRequest) -> HTTPResponse {
    let page: HTTPResponse
    switch request.path {
    case "/health/live": page = Pages.health(true)
    case "/health/ready": page = Pages.health(isReady())
    case "/metrics":
      page = HTTPResponse(
        200, headers: [HTTPHeader("Content-Type", "text/plain; version=0.0.4; charset=utf-8"), .noStore],
        body: Array(metrics.render().utf8))
    default:
      return .text(
        404, "no such page; there are POST /rpc, GET /health/live, GET /health/ready and GET /metrics")
    }
    return request.method == .get || request.method == .head ? page : .notAllowed("GET, HEAD")
  }

  private static func health(_ isServing: Bool) -> HTTPResponse {
    HTTPResponse(
      isServing ? 200 : 503, headers: [.json, .noStore],
      body: Array((isServing ? #"{"status":"SERVING"}"# : #"{"status":"NOT_SERVING"}"#).utf8))
  }
}
