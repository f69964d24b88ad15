// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import Logging
public import Metrics
public import RPC
internal import ZeroMQ

/// Serves a `MessageHandler` on a ROUTER: takes its messages apart, hands them over, sends the replies back the way the
/// requests came. Lives on a `SocketThread`; replies may come from any thread.
public final class ZeroMQServer: Sendable {
  private let sockets: ServerSockets
  private let thread: SocketThread

  /// Binds `endpoint` on `thread` and begins to serve.
  /// - Parameters:
  ///   - endpoint: ipc, or tcp with a numeric address or `*`. libzmq takes an ipc path over from whoever had it before.
  ///   - security: of a tcp endpoint.
  ///   - limits: what is kept of replies that clients do not read.
  ///   - logger: told when such replies are given up.
  /// - Throws: `ZeroMQError`, `PlaintextRefused`, `SocketThreadEnded`.
  public static func bind(
    _ endpoint: String, _ handler: any MessageHandler, on thread: SocketThread, security: BusSecurity = .local,
    limits: ReplyLimits = .bus, metrics: MetricsRegistry? = nil, logger: Logger? = nil
  ) async throws -> ZeroMQServer {
    if case .local = security, !Endpoint.isLocal(endpoint) { throw PlaintextRefused(endpoint: endpoint) }
    return try await thread.run {
      ZeroMQServer(try ServerSockets(endpoint, handler, thread, security, limits, metrics, logger), thread)
    }
  }

  private init(_ sockets: ServerSockets, _ thread: SocketThread) {
    self.sockets = sockets
    self.thread = thread
  }

  /// As bound, wildcards resolved.
  public var endpoint: String { sockets.endpoint }

  /// Who comes in through the endpoint where CURVE does not say it.
  public var peer: Peer { sockets.peer }

  /// Replies that could not be delivered: the client had gone, or was so far behind that its outbox was full.
  public var repliesDropped: Int { sockets.metrics.repliesDropped.value }

  /// Connections that could not be accepted because descriptors had run out.
  public var acceptFailures: Int { sockets.metrics.acceptFailures.value }

  /// Waits until every message taken has been answered and every reply has been handed to libzmq, at most until
  /// `deadline`. Messages are still taken: unbinding would cut the connections that the answers leave by. So the handler
  /// refuses what is new from before this call on.
  public func finish(by deadline: Deadline) async {
    let timeout = Task { [thread, sockets] in
      try? await Task.sleep(for: .milliseconds(deadline.remainingMilliseconds))
      thread.perform { sockets.resumeIdle() }
    }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let isTaken = thread.perform { [sockets] in sockets.whenIdle { continuation.resume() } }
      if !isTaken { continuation.resume() }
    }
    timeout.cancel()
  }

  /// Closes the endpoint. What libzmq was given still leaves, for at most a second.
  public func close() async {
    try? await thread.run { [sockets] in sockets.close() }
  }
}
