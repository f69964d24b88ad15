// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import Metrics
public import RPC
internal import Synchronization
internal import ZeroMQ

/// Calls a service through a DEALER for each address of it. Lives on a `SocketThread`; may be used from any thread.
///
/// A call goes to one of two drawn replicas, the one with fewer calls under way. It ends exactly once: with a reply, or
/// failed with whether it was processed.
/// - Not connected by the deadline: UNAVAILABLE, not processed. Until then it waits for a connection.
/// - Refused unseen by a server that is shutting down: sent to another, or to that one's successor.
/// - The connection lost, or an attempt too slow: an idempotent call is sent again, to another replica if there is one, at
///   most three times and within the retry budget, which one repeat is free of when the replica is at fault and not the
///   service. Others end at once, UNAVAILABLE, unknown.
/// - Sent and no reply by the deadline: DEADLINE_EXCEEDED, unknown. A later reply is ignored.
public final class ZeroMQClient: ClientTransport {
  private let pool: ReplicaPool
  private let thread: SocketThread
  private let nextToken = Atomic<UInt64>(1)

  /// Begins to connect; the servers need not be there yet, and may come and go.
  /// - Parameters:
  ///   - endpoints: one or several, separated by commas: ipc, or tcp with a numeric address or a name. A name stands for
  ///     all addresses that it has, looked up again every few seconds and when a connection is lost.
  ///   - security: of tcp endpoints.
  ///   - server: with CURVE, as what the servers' keys are listed; names the called program in metrics.
  ///   - lookUp: finds a name's numeric addresses; may block. For tests.
  /// - Throws: `ZeroMQError`, `PlaintextRefused`, `SocketThreadEnded`.
  public static func connect(
    _ endpoints: String, on thread: SocketThread, policy: ClientPolicy = ClientPolicy(),
    security: BusSecurity = .local, server: PeerRole = .gateway, metrics: MetricsRegistry? = nil,
    lookUp: @escaping Resolver.LookUp = AddressLookup.addresses
  ) async throws -> ZeroMQClient {
    let endpoints = Resolver.split(endpoints)
    if case .local = security, let remote = endpoints.first(where: { !Endpoint.isLocal($0) }) {
      throw PlaintextRefused(endpoint: remote)
    }
    let counters = ClientMetrics(metrics, server)
    return try await thread.run {
      let pool = ReplicaPool(policy, thread, security, server, counters)
      thread.attach(pool)
      pool.use(endpoints.filter(Endpoint.isNumeric))
      if !endpoints.allSatisfy(Endpoint.isNumeric) {
        pool.resolver = Resolver(endpoints, interval: policy.resolveInterval, lookUp: lookUp) {
          [weak pool, weak thread] addresses in
          thread?.perform { [weak pool] in pool?.use(addresses) }
        }
      }
      return ZeroMQClient(pool, thread)
    }
  }

  private init(_ pool: ReplicaPool, _ thread: SocketThread) {
    self.pool = pool
    self.thread = thread
  }

  @discardableResult
  public func send(
    _ request: OutboundRequest, completion: @escaping @Sendable (InboundReply) -> Void
  ) -> CallToken {
    let token = CallToken(nextToken.wrappingAdd(1, ordering: .relaxed).oldValue)
    if thread.isCurrent {
      pool.send(request, token, completion)
    } else if !thread.perform({ [pool] in pool.send(request, token, completion) }) {
      completion(.failed(ReplicaPool.stopped))
    }
    return token
  }

  public func cancel(_ token: CallToken) {
    // On the thread too, the call may still be on its way from another.
    if thread.isCurrent, pool.cancel(token) { return }
    thread.perform { [pool] in _ = pool.cancel(token) }
  }

  public var room: Int? { thread.isCurrent ? pool.room : nil }

  /// The endpoints that calls go to now.
  /// - Throws: `SocketThreadEnded`.
  public func rotation() async throws -> [String] {
    try await thread.run { [pool] in pool.rotation.map(\.endpoint) }
  }

  /// Closes the sockets; calls under way fail.
  public func close() async {
    try? await thread.run { [pool] in pool.close() }
  }
}
