// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import RPC
internal import JSONRPC
internal import Threading

/// A transport within one process, with the semantics of the bus: one thread that owns the handler, metadata as JSON,
/// exactly one completion a call, deadlines, cancellation, and a server that can go away.
public final class InProcessTransport: ClientTransport {
  private enum Work: Sendable {
    case request(token: UInt64, OutboundRequest)
    case cancel(token: UInt64)
    case stop
  }
  private struct Pending {
    var completion: @Sendable (InboundReply) -> Void
    var timer: Task<Void, Never>
  }
  private struct State {
    var nextToken: UInt64 = 1
    var pending: [UInt64: Pending] = [:]
    var isConnected = true
  }

  private let mailbox = Mailbox<Work>(blocking: true)
  private let state = Lock(State())
  private let peer: Peer

  /// - Parameter peer: what the server sees the caller as.
  public init(_ handler: any MessageHandler, peer: Peer = .local) {
    self.peer = peer
    let mailbox = mailbox
    let pass: @Sendable (UInt64, InboundReply) -> Void = { [weak self] in self?.complete($0, $1) }
    startThread(named: "in-process") { Self.serve(handler, mailbox, peer, pass) }
  }

  deinit { mailbox.add(.stop) }

  /// While false, calls are answered UNAVAILABLE, as when the server is away.
  public func setConnected(_ isConnected: Bool) { state.withLock { $0.isConnected = isConnected } }

  public func send(_ request: OutboundRequest, completion: @escaping @Sendable (InboundReply) -> Void) -> CallToken {
    let token: UInt64? = state.withLock { state in
      guard state.isConnected else { return nil }
      let token = state.nextToken
      state.nextToken += 1
      let timer = Task { [weak self] in
        let left = request.deadline.remainingMilliseconds
        do { try await Task.sleep(for: .milliseconds(left)) } catch { return }
        self?.complete(token, .failed(.deadlineExceeded("no reply within the deadline", processed: .unknown)))
      }
      state.pending[token] = Pending(completion: completion, timer: timer)
      return token
    }
    guard let token else {
      completion(.failed(.unavailable("the server is away", reason: "notConnected")))
      return CallToken(0)
    }
    mailbox.add(.request(token: token, request))
    return CallToken(token)
  }

  public func cancel(_ token: CallToken) {
    mailbox.add(.cancel(token: token.value))
    complete(token.value, .failed(.cancelled("cancelled by the caller", processed: .unknown)))
  }

  private func complete(_ token: UInt64, _ reply: InboundReply) {
    guard let pending = state.withLock({ $0.pending.removeValue(forKey: token) }) else { return }
    pending.timer.cancel()
    pending.completion(reply)
  }

  private static func serve(
    _ handler: any MessageHandler, _ mailbox: Mailbox<Work>, _ peer: Peer,
    _ complete: @escaping @Sendable (UInt64, InboundReply) -> Void
  ) {
    var batch: [Work] = []
    while true {
      mailbox.take(into: &batch)
      for work in batch {
        switch work {
        case .stop: return
        case .request(let token, let request):
          receive(request, token, handler, peer) { complete(token, .reply(body: $0.body, metadata: $0.metadata)) }
        case .cancel(let token):
          let correlation = Correlation(high: 0, low: token).hexadecimal
          let body = Array(#"{"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":"\#(correlation)"}}"#.utf8)
          let request = OutboundRequest(body: body, metadata: Array("{}".utf8), deadline: .after(milliseconds: 1000))
          receive(request, 0, handler, peer) { _ in }
        }
      }
      batch.removeAll(keepingCapacity: true)
      handler.turnEnded()
    }
  }

  private static func receive(
    _ request: OutboundRequest, _ token: UInt64, _ handler: any MessageHandler, _ peer: Peer,
    reply: @escaping @Sendable (OutboundReply) -> Void
  ) {
    var metadata = CallMetadata()
    var metadataError: RPCError?
    do {
      metadata = try JSON.decode(CallMetadata.self, from: request.metadata)
    } catch {
      metadataError = RPCError(.invalidRequest, "unreadable metadata", reason: "metadata")
    }
    metadata.timeoutMs = max(1, request.deadline.remainingMilliseconds)
    request.body.withUnsafeBytes { body in
      handler.receive(
        InboundMessage(
          body: body, metadata: metadata, metadataError: metadataError, peer: peer, connection: 1,
          correlation: Correlation(high: 0, low: token)),
        reply: reply)
    }
  }
}
