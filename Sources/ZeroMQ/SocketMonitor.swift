// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CZeroMQ
internal import Synchronization

/// What happened to one of a socket's connections.
public enum SocketEvent: Sendable, Equatable {
  /// The transport is connected; the handshake is still to come.
  case connected
  /// Handshake done: messages flow.
  case ready
  /// An established connection broke.
  case disconnected
  /// A connection attempt failed or a handshake did; libzmq tries again.
  case retrying
  case accepted
  /// No descriptor was left, or the like.
  case acceptFailed
  /// The peer did not speak ZMTP, or not the same security.
  case handshakeFailed
  case other(code: UInt16)
}

/// Reports a socket's connection events on a socket of its own. Belongs to the thread of both.
public final class SocketMonitor {
  /// For polling.
  public let socket: Socket
  private let watched: Socket
  private let message = Message()
  private static let counter = Atomic<Int>(0)

  /// Of everything that happens.
  public convenience init(_ watched: Socket, in context: Context) throws(ZeroMQError) {
    try self.init(watched, in: context, events: ZMQ_EVENT_ALL)
  }

  /// Of connections that cannot be accepted, and nothing else.
  public convenience init(acceptFailuresOf watched: Socket, in context: Context) throws(ZeroMQError) {
    try self.init(watched, in: context, events: ZMQ_EVENT_ACCEPT_FAILED)
  }

  private init(_ watched: Socket, in context: Context, events: CInt) throws(ZeroMQError) {
    watched.assertOwned()
    let number = SocketMonitor.counter.wrappingAdd(1, ordering: .relaxed).newValue
    let endpoint = "inproc://assent-monitor-\(number)"
    try ZeroMQError.check(zmq_socket_monitor(watched.handle, endpoint, events))
    self.watched = watched
    socket = try Socket(.pair, in: context)
    try socket.connect(endpoint)
  }

  deinit { close() }

  /// Ends the reports. Before the watched socket is closed, or not at all.
  public func close() {
    guard socket.handle != nil else { return }
    zmq_socket_monitor(watched.handle, nil, 0)
    socket.close()
  }

  /// The next event, or nil when there is none now.
  public func next() throws(ZeroMQError) -> SocketEvent? {
    guard try socket.receive(into: message) else { return nil }
    let code = message.withUnsafeBytes { $0.count >= 2 ? $0.loadUnaligned(as: UInt16.self) : 0 }
    while message.hasMore, try socket.receive(into: message) {}
    return SocketMonitor.event(code)
  }

  private static func event(_ code: UInt16) -> SocketEvent {
    switch CInt(code) {
    case ZMQ_EVENT_CONNECTED: .connected
    case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: .ready
    case ZMQ_EVENT_DISCONNECTED: .disconnected
    case ZMQ_EVENT_CONNECT_RETRIED, ZMQ_EVENT_CLOSED: .retrying
    case ZMQ_EVENT_ACCEPTED: .accepted
    case ZMQ_EVENT_ACCEPT_FAILED: .acceptFailed
    case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL, ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL, ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
      .handshakeFailed
    default: .other(code: code)
    }
  }
}
