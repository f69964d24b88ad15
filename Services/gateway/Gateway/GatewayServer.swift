// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CallLog
internal import HTTPServer
internal import JSONRPC
public import Logging
package import Metrics
internal import MetricsEndpoint
internal import OTLP
package import RPC
package import RPCZeroMQ
internal import SettingsContracts
internal import Tracing

/// The gateway: one socket thread with its faces, its connections to the services and its news of credentials.
public final class GatewayServer: Sendable {
  /// Port of the HTTP face, if it is served.
  public let httpPort: UInt16?
  /// Endpoint of the ZeroMQ face, if it is served.
  public let zeroMQEndpoint: String?

  private let thread: SocketThread
  private let server: ZeroMQServer?
  private let drainSeconds: Int
  private let parts: Parts
  /// Nil where no traces are exported.
  private let exporter: SpanExporter?

  /// What lives on the socket thread.
  ///
  /// Unchecked Sendable: used on that thread only, where `thread.run` brings us.
  private final class Parts: @unchecked Sendable {
    let proxy: RPCProxy
    let authenticator: Authenticator
    let routes: Routes
    let readiness: Readiness
    let addresses: Usages
    var http: HTTPFace?
    var zeroMQ: ZeroMQFace?

    init(
      _ thread: SocketThread, _ services: [String: any ClientTransport], _ metrics: MetricsRegistry,
      _ configuration: GatewayConfiguration, _ logger: Logger, _ log: CallLog, tracer: (any Tracer)?,
      clock: any WallClock
    ) {
      addresses = Usages(configuration.callLimits.address)
      authenticator = Authenticator(limits: configuration.limits, clock: clock) { thread.perform($0) }
      proxy = RPCProxy(
        authenticator, on: thread, metrics, limit: configuration.inFlight, newcomers: configuration.newcomers,
        configuration.callLimits, log, tracer: tracer)
      readiness = Readiness(authenticator, on: thread, logger)
      routes = Routes(proxy, Upstream.all(services), metrics, isReady: { [readiness] in readiness.isReady })
      readiness.listen(to: services)
    }
  }

  /// Connects to the services and serves.
  /// - Throws: what says which address or endpoint cannot be used.
  public convenience init(_ configuration: GatewayConfiguration, _ logger: Logger) async throws {
    let thread = try SocketThread(name: "gateway")
    let metrics = MetricsRegistry()
    let security = try await BusSecurity.configured(
      by: configuration.bus, for: .gateway, on: thread, logger, metrics: metrics)
    var services: [String: any ClientTransport] = [:]
    for (service, endpoints) in configuration.endpoints {
      services[service] = try await ZeroMQClient.connect(
        endpoints, on: thread, security: security, server: .service(service), metrics: metrics)
    }
    try await self.init(configuration, services, on: thread, logger, security: security, metrics: metrics)
  }

  /// With transports of the caller's: for tests.
  package init(
    _ configuration: GatewayConfiguration, _ services: [String: any ClientTransport], on thread: SocketThread,
    _ logger: Logger, security: BusSecurity = .local, metrics: MetricsRegistry = MetricsRegistry(),
    clock: any WallClock = SystemClock()
  ) async throws {
    self.thread = thread
    drainSeconds = configuration.drainSeconds
    let exporter = try SpanExporter.configured(by: configuration.bus, program: "gateway", metrics, logger)
    self.exporter = exporter
    let log = CallLog(logger, try SubjectRefs(configuration.bus))
    let parts = try await thread.run {
      let parts = Parts(thread, services, metrics, configuration, logger, log, tracer: exporter, clock: clock)
      guard let account = services["account-service"] else { preconditionFailure("no account-service") }
      metrics.reading("assent_ready", "1: this program should get traffic") { [readiness = parts.readiness] in
        readiness.isReady ? 1 : 0
      }
      metrics.reading("assent_answer_bytes", "Bytes of answers that are made and have not left") {
        [proxy = parts.proxy] in Double(proxy.room.taken)
      }
      ProcessMetrics.register(in: metrics)
      thread.attach(parts.proxy.held)
      thread.attach(parts.routes.health)
      thread.attach(AuthPoller(parts.authenticator, account, on: thread, logger))
      if let http = configuration.http {
        let pages = OperatorPages(metrics, isReady: { [readiness = parts.readiness] in readiness.isReady })
        let face = try HTTPFace(
          http, parts.proxy, parts.authenticator, pages, on: thread, proxyHops: configuration.proxyHops,
          parts.addresses, HTTPMetrics(metrics))
        metrics.reading("assent_http_connections", "Open HTTP connections") { [weak face] in
          Double(face?.openConnections ?? 0)
        }
        thread.attach(face)
        parts.http = face
      }
      if configuration.zeroMQ != nil {
        let face = ZeroMQFace(parts.proxy, parts.addresses)
        parts.routes.runtime.cancelByID = { [unowned face] in face.cancel($0, askedBy: $1) }
        parts.zeroMQ = face
      }
      return parts
    }
    self.parts = parts
    _ = try await MetricsEndpoint.open(configuration.bus, metrics, on: thread) { [readiness = parts.readiness] in
      readiness.isReady
    }
    httpPort = parts.http?.port
    if let endpoint = configuration.zeroMQ, let face = parts.zeroMQ {
      server = try await ZeroMQServer.bind(
        endpoint, face, on: thread, security: security, limits: .clients(bytes: configuration.callLimits.bytes),
        metrics: metrics, logger: logger)
    } else {
      server = nil
    }
    zeroMQEndpoint = server?.endpoint
  }

  /// How long a stop that is announced waits for HTTP connections to be used once more, in milliseconds.
  private static let lastRequests = 1_000

  /// Says that it is not ready and asks HTTP clients to connect anew, elsewhere by then; after the time configured takes no
  /// more connections and, a moment later, no more calls; lets those that run finish for at most `grace` milliseconds,
  /// and lets go of everything.
  public func stop(grace: Int) async {
    try? await thread.run { [parts] in
      parts.readiness.isDraining = true
      parts.proxy.announcesDraining = true
      parts.http?.closesConnections()
    }
    try? await Task.sleep(for: .seconds(drainSeconds))
    let deadline = Deadline.after(milliseconds: grace)
    try? await thread.run { [parts] in parts.http?.stopAccepting() }
    if drainSeconds > 0 { await waitForLastRequests() }
    try? await thread.run { [parts] in parts.proxy.isDraining = true }
    while parts.proxy.callsInFlight > 0, !deadline.isPast {
      try? await Task.sleep(for: .milliseconds(5))
    }
    await server?.finish(by: deadline)
    await thread.stop()
    exporter?.stop(grace: 5_000)
  }

  /// A client that keeps its connection may be sending on it when it is closed, and cannot know whether that was read.
  private func waitForLastRequests() async {
    let end = Deadline.after(milliseconds: Self.lastRequests)
    while !end.isPast {
      guard let open = try? await thread.run({ [parts] in parts.http?.openConnections ?? 0 }), open > 0 else { return }
      try? await Task.sleep(for: .milliseconds(5))
    }
  }
}
