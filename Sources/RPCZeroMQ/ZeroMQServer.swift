// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import Metrics
public import RPC
internal import ZeroMQ

/// Serves a `MessageHandler` on a ROUTER: takes its messages apart, hands them over, sends the replies back the way the
/// requests came. Lives on a `SocketThread`; replies may come from any thread.
public final class ZeroMQServer: Sendable {
  private let socket: ServerSocket
  private let thread: SocketThread

  /// Binds `endpoint` on `thread` and begins to serve.
  /// - Parameters:
  ///   - endpoint: ipc, or tcp on a loopback address. libzmq takes an ipc path over from whoever had it before.
  ///   - allowPlaintext: also serve other addresses, where anyone on the way can read and write.
  /// - Throws: `ZeroMQError`, `PlaintextRefused`, `SocketThreadEnded`.
  public static func bind(
    _ endpoint: String, _ handler: any MessageHandler, on thread: SocketThread, allowPlaintext: Bool = false,
    metrics: MetricsRegistry? = nil
  ) async throws -> ZeroMQServer {
    guard allowPlaintext || Endpoint.isLocal(endpoint) else { throw PlaintextRefused(endpoint: endpoint) }
    return try await thread.run {
      let socket = try ServerSocket(endpoint, handler, thread, metrics)
      thread.attach(socket)
      return ZeroMQServer(socket, thread)
    }
  }

  private init(_ socket: ServerSocket, _ thread: SocketThread) {
    self.socket = socket
    self.thread = thread
  }

  /// As bound, wildcards resolved.
  public var endpoint: String { socket.endpoint }

  /// Who comes in through the endpoint, as far as it can be vouched for.
  public var peer: Peer { socket.peer }

  /// Replies that could not be delivered: the client had gone, or was so far behind that its outbox was full.
  public var repliesDropped: Int { socket.repliesDropped.value }

  /// Waits until every message taken has been answered and every reply has been handed to libzmq, at most until
  /// `deadline`. Messages are still taken: unbinding would cut the connections that the answers leave by. So the handler
  /// refuses what is new from before this call on.
  public func finish(by deadline: Deadline) async {
    let timeout = Task { [thread, socket] in
      try? await Task.sleep(for: .milliseconds(deadline.remainingMilliseconds))
      thread.perform { socket.resumeIdle() }
    }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let isTaken = thread.perform { [socket] in socket.whenIdle { continuation.resume() } }
      if !isTaken { continuation.resume() }
    }
    timeout.cancel()
  }

  /// Closes the socket. What libzmq was given still leaves, for at most a second.
  public func close() async {
    try? await thread.run { [thread, socket] in
      thread.detach(socket)
      socket.stop()
    }
  }
}

/// An endpoint that other machines can reach would be served in plain text.
public struct PlaintextRefused: Error, CustomStringConvertible {
  public let endpoint: String
  public var description: String {
    "\(endpoint): plain text is served on ipc and on loopback addresses only, unless explicitly allowed"
  }
}
