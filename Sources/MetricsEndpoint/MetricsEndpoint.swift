// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import Configuration
public import HTTPServer
public import Metrics
public import RPCZeroMQ
public import ZeroMQ

/// A port for `GET /metrics`, `/health/live` and `/health/ready`, if `ASSENT_METRICS_LISTEN` says where: `9464` on the
/// loopback, `0.0.0.0:9464` or `[::]:9464` for a Prometheus elsewhere. In plain text and without credentials, so it is for
/// a network of operators.
///
/// A member of the socket thread, so that what is shown of that thread is read on it. A page takes some 100 µs to make.
///
/// Unchecked Sendable: used on the socket thread only.
public final class MetricsEndpoint: HTTPHandler, LoopMember, @unchecked Sendable {
  /// Where to listen.
  public struct Address: Sendable, Equatable {
    public var host: String
    public var port: UInt16

    /// - Returns: nil when no port is configured.
    /// - Throws: `ConfigurationError`.
    public init?(_ configuration: Configuration) throws(ConfigurationError) {
      let key = "ASSENT_METRICS_LISTEN"
      guard let text = configuration.string(key) else { return nil }
      let place = text.lastIndex(of: ":")
      let host = place.map { String(text[..<$0]) } ?? "127.0.0.1"
      guard let port = UInt16(place.map { String(text[text.index(after: $0)...]) } ?? text), !host.isEmpty else {
        throw ConfigurationError(key: key, problem: "must be a port, or a numeric address and a port: 127.0.0.1:9464")
      }
      self.port = port
      self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }
  }

  /// For a few scrapers and probes.
  private static let connectionLimit = 64

  private let pages: OperatorPages
  private var server: HTTPServer!

  /// Opens the port on `thread`.
  /// - Returns: nil when none is configured.
  /// - Throws: `ConfigurationError`, `HTTPServerError`, `SocketThreadEnded`.
  public static func open(
    _ configuration: Configuration, _ metrics: MetricsRegistry, on thread: SocketThread,
    isReady: @escaping @Sendable () -> Bool
  ) async throws -> MetricsEndpoint? {
    guard let address = try Address(configuration) else { return nil }
    return try await thread.run {
      let endpoint = try MetricsEndpoint(address, OperatorPages(metrics, isReady: isReady))
      thread.attach(endpoint)
      return endpoint
    }
  }

  private init(_ address: Address, _ pages: OperatorPages) throws(HTTPServerError) {
    self.pages = pages
    server = try HTTPServer(
      HTTPServerConfiguration(
        address: address.host, port: address.port, connectionLimit: MetricsEndpoint.connectionLimit,
        bufferLimit: 4 << 20),
      handler: self)
  }

  public var port: UInt16 { server.port }

  // MARK: LoopMember

  public func pollItems() -> [PollItem] { server.descriptors.map { PollItem(descriptor: $0) } }
  public func nextTimeout() -> Int? { server.nextTimeout }
  public func stop() { server.stop() }
  public func turn() -> Bool {
    server.turn()
    return false
  }

  // MARK: HTTPHandler

  public func bodyLimit(for request: HTTPRequest) -> Int { 0 }

  public func receive(_ request: HTTPRequest, body: [UInt8]) {
    let page = pages.page(for: request)
    server.respond(
      request.id, page ?? .text(404, "no such page; there are GET /metrics, GET /health/live and GET /health/ready"))
  }

  public func clientLeft(_ id: HTTPRequestID) {}
}
