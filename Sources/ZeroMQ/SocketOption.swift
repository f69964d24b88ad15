// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CZeroMQ

/// A socket option by name, with the type of its value. Times are milliseconds, sizes bytes.
public struct SocketOption<Value: SocketOptionValue>: Sendable {
  let code: CInt
}

extension SocketOption where Value == Int {
  /// How long `close` keeps trying to send what is queued. Every socket gets a finite one: -1 would block for ever.
  public static var linger: Self { .init(code: ZMQ_LINGER) }
  /// Messages queued to one peer before a send is refused. 0 means without bound.
  public static var sendHighWaterMark: Self { .init(code: ZMQ_SNDHWM) }
  /// Messages queued from one peer before its connection is no longer read.
  public static var receiveHighWaterMark: Self { .init(code: ZMQ_RCVHWM) }
  /// Bytes that the kernel takes of what is sent to one peer, bookkeeping apart; it allows itself twice as many. For tcp,
  /// and before `bind`. -1: as it likes.
  public static var sendBuffer: Self { .init(code: ZMQ_SNDBUF) }
  /// Pending connections of a listener.
  public static var backlog: Self { .init(code: ZMQ_BACKLOG) }
  public static var reconnectInterval: Self { .init(code: ZMQ_RECONNECT_IVL) }
  /// Where reconnection's exponential backoff ends; 0: no backoff.
  public static var longestReconnectInterval: Self { .init(code: ZMQ_RECONNECT_IVL_MAX) }
  /// A connection whose ZMTP handshake takes longer is closed.
  public static var handshakeInterval: Self { .init(code: ZMQ_HANDSHAKE_IVL) }
  /// 0: none. For the connecting side: its heartbeats tell the other side too, by their time to live. A listening socket
  /// that sends them aborts the process (libzmq 4.3.4, `!_io_error`) when one falls due for a peer that is gone but whose
  /// messages still fill the receive queue.
  public static var heartbeatInterval: Self { .init(code: ZMQ_HEARTBEAT_IVL) }
  /// A peer that answers no heartbeat for this long is gone.
  public static var heartbeatTimeout: Self { .init(code: ZMQ_HEARTBEAT_TIMEOUT) }
  /// How long the peer waits for our next heartbeat. In libzmq's unit it must be a multiple of 100.
  public static var heartbeatTimeToLive: Self { .init(code: ZMQ_HEARTBEAT_TTL) }
  /// In seconds.
  public static var tcpKeepaliveIdle: Self { .init(code: ZMQ_TCP_KEEPALIVE_IDLE) }
  public static var connectTimeout: Self { .init(code: ZMQ_CONNECT_TIMEOUT) }
  /// A descriptor that listens already, for the next `bind`. See `ListeningPort`.
  static var useDescriptor: Self { .init(code: ZMQ_USE_FD) }
  /// Bits of `PollEvents`. Read only.
  static var events: Self { .init(code: ZMQ_EVENTS) }
}

extension SocketOption where Value == Bool {
  /// Queue for complete connections only, so nothing is given to an endpoint that is not there. For sockets that only
  /// send: see `ClientConnection` of RPCZeroMQ for what it does to one that receives.
  public static var immediate: Self { .init(code: ZMQ_IMMEDIATE) }
  /// A ROUTER reports what it cannot send instead of dropping it. Write only.
  public static var routerMandatory: Self { .init(code: ZMQ_ROUTER_MANDATORY) }
  /// A new peer takes over the routing id of an old one. Write only.
  public static var routerHandover: Self { .init(code: ZMQ_ROUTER_HANDOVER) }
  /// REQ puts a correlation frame in front. Write only.
  public static var requestCorrelate: Self { .init(code: ZMQ_REQ_CORRELATE) }
  /// REQ may send again without having received. Write only.
  public static var requestRelaxed: Self { .init(code: ZMQ_REQ_RELAXED) }
  public static var tcpKeepalive: Self { .init(code: ZMQ_TCP_KEEPALIVE) }
  public static var ipv6: Self { .init(code: ZMQ_IPV6) }
  /// The listening side of CURVE. Set by `serveCurve`, which sees to it that keys are judged.
  static var curveServer: Self { .init(code: ZMQ_CURVE_SERVER) }
  /// Whether the frame just received has a successor. Read only.
  static var receiveMore: Self { .init(code: ZMQ_RCVMORE) }
}

extension SocketOption where Value == Int64 {
  /// Of one frame; a connection that sends a longer one is closed. Says nothing of how many frames a message has.
  public static var largestFrame: Self { .init(code: ZMQ_MAXMSGSIZE) }
}

extension SocketOption where Value == [UInt8] {
  /// What a ROUTER calls this socket, 1 to 255 bytes. Unset, the ROUTER makes one up for each connection.
  public static var routingID: Self { .init(code: ZMQ_ROUTING_ID) }
  public static var subscribe: Self { .init(code: ZMQ_SUBSCRIBE) }
  public static var unsubscribe: Self { .init(code: ZMQ_UNSUBSCRIBE) }
  /// Keys of 32 bytes. Set by `serveCurve` and `useCurve`.
  static var curvePublicKey: Self { .init(code: ZMQ_CURVE_PUBLICKEY) }
  static var curveSecretKey: Self { .init(code: ZMQ_CURVE_SECRETKEY) }
  static var curveServerKey: Self { .init(code: ZMQ_CURVE_SERVERKEY) }
}

extension SocketOption where Value == String {
  /// The endpoint last bound, wildcards resolved. Read only.
  public static var lastEndpoint: Self { .init(code: ZMQ_LAST_ENDPOINT) }
  /// What the ZAP handler is told of a listening socket.
  static var zapDomain: Self { .init(code: ZMQ_ZAP_DOMAIN) }
}

/// A type that libzmq's option calls take as bytes.
public protocol SocketOptionValue: Sendable {
  func withOptionBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R
  /// The value in the bytes that `zmq_getsockopt` wrote.
  init(optionBytes: UnsafeRawBufferPointer)
  /// The room that `zmq_getsockopt` needs.
  static var optionCapacity: Int { get }
}

extension Int: SocketOptionValue {
  public func withOptionBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    withUnsafeBytes(of: CInt(clamping: self)) { body($0) }
  }
  public init(optionBytes: UnsafeRawBufferPointer) { self.init(optionBytes.loadUnaligned(as: CInt.self)) }
  public static var optionCapacity: Int { MemoryLayout<CInt>.size }
}

extension Bool: SocketOptionValue {
  public func withOptionBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R { (self ? 1 : 0).withOptionBytes(body) }
  public init(optionBytes: UnsafeRawBufferPointer) { self = optionBytes.loadUnaligned(as: CInt.self) != 0 }
  public static var optionCapacity: Int { MemoryLayout<CInt>.size }
}

extension Int64: SocketOptionValue {
  public func withOptionBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    withUnsafeBytes(of: self) { body($0) }
  }
  public init(optionBytes: UnsafeRawBufferPointer) { self = optionBytes.loadUnaligned(as: Int64.self) }
  public static var optionCapacity: Int { MemoryLayout<Int64>.size }
}

extension [UInt8]: SocketOptionValue {
  public func withOptionBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R { withUnsafeBytes { body($0) } }
  public init(optionBytes: UnsafeRawBufferPointer) { self.init(optionBytes) }
  public static var optionCapacity: Int { 256 }
}

extension String: SocketOptionValue {
  public func withOptionBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R { Array(utf8).withOptionBytes(body) }
  /// Without the terminating zero that libzmq counts.
  public init(optionBytes: UnsafeRawBufferPointer) {
    self.init(decoding: optionBytes.prefix { $0 != 0 }, as: UTF8.self)
  }
  public static var optionCapacity: Int { 1024 }
}
