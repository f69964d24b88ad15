// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import RPC
internal import Synchronization
internal import ZeroMQ

/// Calls the server at one endpoint through a DEALER. Lives on a `SocketThread`; may be used from any thread.
///
/// Each call ends exactly once: with its reply, or failed with whether it was processed.
/// - Not connected by the deadline: UNAVAILABLE, not processed. Until then it waits for the connection.
/// - Sent and the connection lost: UNAVAILABLE, unknown, at once.
/// - Sent and no reply by the deadline: DEADLINE_EXCEEDED, unknown. A later reply is ignored.
public final class ZeroMQClient: ClientTransport {
  private let socket: ClientSocket
  private let thread: SocketThread
  private let nextToken = Atomic<UInt64>(1)

  /// Begins to connect; the server need not be there yet, and may come and go.
  /// - Parameters:
  ///   - endpoint: ipc, or tcp with a numeric address.
  ///   - callLimit: calls under way at once; one more is answered UNAVAILABLE. Below half the high-water mark.
  ///   - security: of a tcp endpoint.
  ///   - server: with CURVE, as what the server's keys are listed.
  /// - Throws: `ZeroMQError`, `PlaintextRefused`, `SocketThreadEnded`.
  public static func connect(
    _ endpoint: String, on thread: SocketThread, callLimit: Int = 1_024, security: BusSecurity = .local,
    server: PeerRole = .gateway
  ) async throws -> ZeroMQClient {
    if case .local = security, !Endpoint.isLocal(endpoint) { throw PlaintextRefused(endpoint: endpoint) }
    return try await thread.run {
      var keys: ClientKeys?
      if endpoint.hasPrefix("tcp://"), case .curve(let ring) = security {
        keys = ClientKeys(ring: ring, server: server)
      }
      let socket = try ClientSocket(endpoint, callLimit: callLimit, keys: keys, thread)
      thread.attach(socket)
      return ZeroMQClient(socket, thread)
    }
  }

  private init(_ socket: ClientSocket, _ thread: SocketThread) {
    self.socket = socket
    self.thread = thread
  }

  @discardableResult
  public func send(
    _ request: OutboundRequest, completion: @escaping @Sendable (InboundReply) -> Void
  ) -> CallToken {
    let token = CallToken(nextToken.wrappingAdd(1, ordering: .relaxed).oldValue)
    if thread.isCurrent {
      socket.send(request, token, completion)
    } else if !thread.perform({ [socket] in socket.send(request, token, completion) }) {
      completion(.failed(ClientSocket.stopped))
    }
    return token
  }

  public func cancel(_ token: CallToken) {
    // On the thread too, the call may still be on its way from another.
    if thread.isCurrent, socket.cancel(token) { return }
    thread.perform { [socket] in _ = socket.cancel(token) }
  }

  /// Closes the socket; calls under way fail.
  public func close() async {
    try? await thread.run { [thread, socket] in
      thread.detach(socket)
      socket.stop()
    }
  }
}
