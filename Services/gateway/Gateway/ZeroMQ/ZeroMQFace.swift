// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC

/// The gateway over ZeroMQ: the same calls as over HTTP. What its server transport hands over comes on the socket thread.
///
/// Unchecked Sendable: used on the socket thread only.
final class ZeroMQFace: MessageHandler, @unchecked Sendable {
  private struct CallKey: Hashable {
    var connection: UInt64
    var id: RequestID
  }

  private let proxy: RPCProxy
  /// This process, so that clients know whose clock `serverNow` is.
  private let instance = String(UInt64.random(in: .min ... .max), radix: 16)
  /// Calls that are not answered yet, for `rpc.cancel`.
  private var running: [CallKey: Call] = [:]
  /// Of the message that is being received.
  private var connection: UInt64 = 0

  private let usages: Usages
  /// By connection.
  private var sources: [UInt64: Usage] = [:]
  private static let sourcesKept = 4_096

  init(_ proxy: RPCProxy, _ usages: Usages) {
    self.proxy = proxy
    self.usages = usages
  }

  func turnEnded() {}

  func receive(_ message: InboundMessage, reply: @escaping @Sendable (OutboundReply) -> Void) {
    let connection = message.connection
    if let error = message.metadataError {
      return refuse(error, from: message.peer, connection: connection, reply: reply)
    }
    var authorization = message.metadata.authorization ?? ""
    authorization.withUTF8 { text in
      let arrival = Arrival(
        message.metadata, UnsafeRawBufferPointer(text), from: message.peer, connection: connection,
        source(of: message.peer, connection))
      self.connection = connection
      _ = proxy.receive(
        Array(message.body), arrival,
        ids: { [unowned self] id, call in remember(call, CallKey(connection: connection, id: id)) },
        reply: { [self] answer in reply(outbound(answer)) })
    }
  }

  func refuse(
    _ error: RPCError, from peer: Peer, connection: UInt64, reply: @escaping @Sendable (OutboundReply) -> Void
  ) {
    proxy.refuse(error, to: source(of: peer, connection)) { [self] answer in reply(outbound(answer)) }
  }

  private func outbound(_ answer: Answer) -> OutboundReply {
    OutboundReply(
      body: answer.body,
      metadata: ReplyMetadata(
        instance: instance, serverNow: MonotonicClock.milliseconds(),
        draining: proxy.announcesDraining ? true : nil,
        retryAfterMs: answer.retryAfterMs, errorCode: answer.errorCode))
  }

  private func source(of peer: Peer, _ connection: UInt64) -> Usage {
    if let known = sources[connection] { return known }
    // Connections come and go and are not told of. Those that are still there are found again; one without a name begins
    // anew, as it would by connecting again.
    if sources.count >= ZeroMQFace.sourcesKept { sources.removeAll(keepingCapacity: true) }
    let usage: Usage
    if case .client = peer {
      usage = usages.usage(of: Arrival.address(of: peer, connection))
    } else {
      usage = usages.unnamed()
    }
    sources[connection] = usage
    return usage
  }

  private func remember(_ call: Call, _ key: CallKey) {
    running[key] = call
    call.whenDone = { [unowned self, unowned call] in
      // A client that uses an id twice has the later call in here.
      if running[key] === call { running[key] = nil }
    }
  }

  /// Takes back the call of that id on the connection whose message is being received.
  /// - Returns: whether it was still running.
  func cancel(_ id: RequestID, askedBy asking: Call) -> Bool {
    guard let call = running[CallKey(connection: connection, id: id)], call !== asking else { return false }
    proxy.cancel(call)
    return true
  }
}

extension Arrival {
  /// A client with a key is one, however often it connects.
  static func address(of peer: Peer, _ connection: UInt64) -> String {
    if case .client(let name) = peer { "client \(name)" } else { "zeromq \(connection)" }
  }

  /// What the metadata frame says. `authorization` must stay valid as long as this is used.
  init(
    _ metadata: CallMetadata, _ authorization: UnsafeRawBufferPointer, from peer: Peer, connection: UInt64,
    _ source: Usage
  ) {
    self.source = source
    address = { Arrival.address(of: peer, connection) }
    isOperator = peer == .operator
    if !authorization.isEmpty {
      credential = Arrival.bearer(authorization)
      if credential == nil {
        problem = .unauthenticated("authorization must be: Bearer <credential>", reason: "authorizationScheme")
      }
    }
    if metadata.principal != nil {
      problem = .permissionDenied("a principal is not accepted here; send authorization", reason: "principalRefused")
    }
    if let timeout = metadata.timeoutMs, timeout < 1 {
      problem = .invalidParams("timeoutMs", "\(timeout) is not in 1...\(Deadline.longestMilliseconds)")
    }
    if let expiresAt = metadata.expiresAt, expiresAt < MonotonicClock.milliseconds() {
      problem = .deadlineExceeded("expired before it was looked at", processed: .no)
    }
    idempotencyKey = metadata.idempotencyKey
    timeoutMs = metadata.timeoutMs
    trace = metadata.trace
    requestId = metadata.requestId.flatMap { RequestNames.isName($0) ? $0 : nil }
    locale = metadata.locale.flatMap { MetadataBytes.isLocale($0) ? $0 : nil }
    gpc = metadata.gpc ?? false
  }
}
