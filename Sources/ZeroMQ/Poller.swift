// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CZeroMQ
internal import Glibc

/// What a poll waits for, or found.
public struct PollEvents: OptionSet, Sendable, Hashable {
  public let rawValue: Int16
  public init(rawValue: Int16) { self.rawValue = rawValue }
  public static let readable = PollEvents(rawValue: Int16(ZMQ_POLLIN))
  public static let writable = PollEvents(rawValue: Int16(ZMQ_POLLOUT))
  /// Of plain descriptors only.
  public static let failed = PollEvents(rawValue: Int16(ZMQ_POLLERR))
}

/// A socket or a plain descriptor, and what it is polled for.
public struct PollItem {
  let socket: Socket?
  let descriptor: CInt
  let events: PollEvents

  public init(_ socket: Socket, _ events: PollEvents = .readable) {
    self.socket = socket
    descriptor = 0
    self.events = events
  }

  public init(descriptor: CInt, _ events: PollEvents = .readable) {
    socket = nil
    self.descriptor = descriptor
    self.events = events
  }
}

/// Waits for sockets and plain descriptors together.
///
/// By `zmq_poll`: a socket's own ZMQ_FD signals changes, not states, so after a send it can stay silent beside a waiting
/// message. A result can be stale all the same; receive until false. Belongs to the thread of its sockets.
public final class Poller {
  private var items: [zmq_pollitem_t] = []
  /// Keeps the sockets behind `items` open.
  private var sockets: [Socket] = []

  public init() {}

  /// What to poll from now on. A socket must not be closed while it is polled.
  public func replaceItems(_ new: [PollItem]) {
    sockets = new.compactMap(\.socket)
    items = new.map {
      zmq_pollitem_t(socket: $0.socket?.handle, fd: $0.descriptor, events: $0.events.rawValue, revents: 0)
    }
  }

  public var count: Int { items.count }

  /// Waits until an item is ready, a signal comes or the time is over.
  /// - Parameter timeout: in milliseconds, negative: without end.
  /// - Returns: how many items are ready.
  @discardableResult
  public func poll(timeout: Int) throws(ZeroMQError) -> Int {
    let ready = zmq_poll(&items, CInt(items.count), timeout)
    if ready >= 0 { return Int(ready) }
    let error = ZeroMQError.current
    for index in items.indices { items[index].revents = 0 }
    if error == .interrupted { return 0 }
    throw error
  }

  /// What the last poll found of the item at `index`.
  @inline(__always)
  public func events(of index: Int) -> PollEvents { PollEvents(rawValue: items[index].revents) }
}
