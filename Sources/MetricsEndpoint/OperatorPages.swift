// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import HTTPServer
public import Metrics

/// The pages that a program has for those who run it: health for orchestrators, metrics for Prometheus.
public final class OperatorPages {
  private let metrics: MetricsRegistry
  private let isReady: () -> Bool

  /// - Parameter isReady: whether the program should get traffic.
  public init(_ metrics: MetricsRegistry, isReady: @escaping () -> Bool) {
    self.metrics = metrics
    self.isReady = isReady
  }

  /// - Returns: nil for a path without a page.
  public func page(for request: HTTPRequest) -> HTTPResponse? {
    let page: HTTPResponse
    switch request.path {
    case "/health/live": page = OperatorPages.health(true)
    case "/health/ready": page = OperatorPages.health(isReady())
    case "/metrics":
      page = HTTPResponse(
        200, headers: [HTTPHeader("Content-Type", "text/plain; version=0.0.4; charset=utf-8"), .noStore],
        body: Array(metrics.render().utf8))
    default: return nil
    }
    return request.method == .get || request.method == .head ? page : .notAllowed("GET, HEAD")
  }

  private static func health(_ isServing: Bool) -> HTTPResponse {
    HTTPResponse(
      isServing ? 200 : 503, headers: [.json, .noStore],
      body: Array((isServing ? #"{"status":"SERVING"}"# : #"{"status":"NOT_SERVING"}"#).utf8))
  }
}

extension HTTPResponse {
  /// - Parameter methods: those that are, as `Allow` lists them.
  public static func notAllowed(_ methods: String) -> HTTPResponse {
    var response = HTTPResponse.text(405, "allowed here: \(methods)")
    response.headers.append(HTTPHeader("Allow", methods))
    return response
  }
}
