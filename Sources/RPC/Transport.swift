// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// One request as a transport hands it over, valid only during `receive`.
public struct InboundMessage {
  /// The JSON-RPC message. Valid only during the call.
  public let body: UnsafeRawBufferPointer
  public let metadata: CallMetadata
  /// The metadata frame was there and could not be read: answered with -32600.
  public let metadataError: RPCError?
  public let peer: Peer
  /// Tells connections apart, for `rpc.cancel`. Not an identity.
  public let connection: UInt64
  /// The calling hop's correlation frame, by which it may cancel.
  public let correlation: Correlation?

  public init(
    body: UnsafeRawBufferPointer, metadata: CallMetadata = CallMetadata(), metadataError: RPCError? = nil, peer: Peer,
    connection: UInt64, correlation: Correlation? = nil
  ) {
    self.body = body
    self.metadata = metadata
    self.metadataError = metadataError
    self.peer = peer
    self.connection = connection
    self.correlation = correlation
  }
}

/// What goes back for one request.
public struct OutboundReply: Sendable {
  /// Empty when there is nothing to say: the message held only notifications.
  public var body: [UInt8]
  public var metadata: ReplyMetadata
  public init(body: [UInt8], metadata: ReplyMetadata = ReplyMetadata()) {
    self.body = body
    self.metadata = metadata
  }
}

/// What a server transport gives its messages to.
public protocol MessageHandler: Sendable {
  /// Called on the transport's thread only. `reply` must be called exactly once, from any thread, also for a message of
  /// notifications (with an empty body).
  func receive(_ message: InboundMessage, reply: @escaping @Sendable (OutboundReply) -> Void)

  /// The transport cannot take a message, which is to be answered with `error`, now or later. Called on the transport's thread
  /// only; `reply` must be called exactly once, from any thread.
  func refuse(
    _ error: RPCError, from peer: Peer, connection: UInt64, reply: @escaping @Sendable (OutboundReply) -> Void)

  /// Every message of this wake has been handed over.
  func turnEnded()
}

extension MessageHandler {
  public func refuse(
    _ error: RPCError, from peer: Peer, connection: UInt64, reply: @escaping @Sendable (OutboundReply) -> Void
  ) {
    reply(
      OutboundReply(body: Response.error(nil, error), metadata: ReplyMetadata(errorCode: error.code.rawValue)))
  }
}

/// One request on its way out.
public struct OutboundRequest: Sendable {
  public var body: [UInt8]
  /// The JSON object of `CallMetadata`. The transport adds `timeoutMs`, `expiresAt` and `attempt`: they must not be in it.
  public var metadata: [UInt8]
  public var deadline: Deadline
  /// Running it twice does no harm: it changes nothing, or it has an idempotency key. So the transport may send it again
  /// when nobody knows whether it ran.
  public var isIdempotent: Bool
  /// Of the called method; nil: of no method in particular, not hedged.
  public var profile: MethodProfile?

  public init(
    body: [UInt8], metadata: [UInt8], deadline: Deadline, isIdempotent: Bool = false, profile: MethodProfile? = nil
  ) {
    self.body = body
    self.metadata = metadata
    self.deadline = deadline
    self.isIdempotent = isIdempotent
    self.profile = profile
  }
}

/// How a request ended: a reply (which may carry a JSON-RPC error in its body), or no reply at all.
public enum InboundReply: Sendable {
  case reply(body: [UInt8], metadata: ReplyMetadata)
  /// The transport's own verdict: DEADLINE_EXCEEDED, UNAVAILABLE or CANCELLED, each saying whether it was processed.
  case failed(RPCError)
}

/// Names a request that was sent, to cancel it.
public struct CallToken: Sendable, Hashable {
  public let value: UInt64
  public init(_ value: UInt64) { self.value = value }
}

/// What a client sends through.
public protocol ClientTransport: Sendable {
  /// Sends from any thread. `completion` is called exactly once, by the deadline at the latest, on a thread of the
  /// transport; it must not block.
  @discardableResult
  func send(_ request: OutboundRequest, completion: @escaping @Sendable (InboundReply) -> Void) -> CallToken

  /// Takes a request back: completes it with CANCELLED unless its reply came first, and tells the server.
  func cancel(_ token: CallToken)

  /// How many more calls it would take now, all callers together; nil: no bound is known. Told on the transport's own thread
  /// only.
  var room: Int? { get }
}

extension ClientTransport {
  public var room: Int? { nil }
}
