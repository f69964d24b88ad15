// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CLinux
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

/// Waits for sockets and plain descriptors together, with one system call, whose cost does not grow with their number.
///
/// `zmq_poll` asks libzmq about every socket before and after it sleeps, two system calls each, which for a process with a
/// dozen sockets is most of what a call costs. A socket's descriptor (ZMQ_FD) alone will not do: it signals changes, not
/// states, and any call on the socket may take the signal. So a socket is asked only if its descriptor signals, or if it
/// was used since it last was seen without a message (`Socket.mayHoldUnseen`). A result can be stale all the same; receive
/// until false. Belongs to the thread of its sockets.
///
/// Source: zmq_getsockopt(3), ZMQ_FD and ZMQ_EVENTS; epoll(7).
public final class Poller {
  private var items: [PollItem] = []
  private var found: [PollEvents] = []
  private let epoll: CInt
  private var watched: [CInt] = []
  private var signals: [epoll_event] = [epoll_event()]

  /// - Throws: `ZeroMQError` when descriptors have run out.
  public init() throws(ZeroMQError) {
    epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
    guard epoll >= 0 else { throw .current }
  }

  deinit { close(epoll) }

  /// What to poll from now on, each descriptor once. A socket must not be closed while it is polled.
  /// - Throws: `ZeroMQError` for a descriptor that cannot be polled, or when the system's memory for it has run out.
  public func replaceItems(_ new: [PollItem]) throws(ZeroMQError) {
    // All anew: one that was closed has left by itself, and its number may be another's by now.
    for descriptor in watched { epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil) }
    watched = []
    items = new
    found = Array(repeating: [], count: new.count)
    signals = Array(repeating: epoll_event(), count: max(1, new.count))
    for (index, item) in new.enumerated() {
      var event = epoll_event(
        events: item.socket == nil ? item.events.epoll : EPOLLIN.rawValue, data: epoll_data_t(u64: UInt64(index)))
      let descriptor = item.socket?.descriptor ?? item.descriptor
      guard epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0 else { throw .current }
      watched.append(descriptor)
    }
  }

  /// Waits until an item is ready, a signal comes or the time is over.
  /// - Parameter timeout: in milliseconds, negative: without end.
  /// - Returns: how many items are ready.
  @discardableResult
  public func poll(timeout: Int) throws(ZeroMQError) -> Int {
    var ready = try lookAtUsedSockets()
    var left = ready > 0 ? 0 : timeout
    let end = left > 0 ? milliseconds() + left : 0
    while true {
      let count = epoll_wait(epoll, &signals, CInt(signals.count), CInt(clamping: left))
      guard count >= 0 else {
        if errno == EINTR { return ready }
        throw .current
      }
      for index in 0..<Int(count) { try look(at: signals[index], &ready) }
      if ready > 0 || count == 0 || left == 0 { return ready }
      // A socket signalled something else than a message.
      if left > 0 { left = max(0, end - milliseconds()) }
    }
  }

  /// Finds what no descriptor shows. Writability too: its signal may have been taken.
  /// - Returns: how many items are ready.
  private func lookAtUsedSockets() throws(ZeroMQError) -> Int {
    var ready = 0
    for index in items.indices {
      found[index] = []
      guard let socket = items[index].socket, socket.mayHoldUnseen || items[index].events.contains(.writable) else {
        continue
      }
      found[index] = try socket.events.intersection(items[index].events)
      if !found[index].isEmpty { ready += 1 }
    }
    return ready
  }

  private func look(at signal: epoll_event, _ ready: inout Int) throws(ZeroMQError) {
    let index = Int(signal.data.u64)
    let was = found[index]
    let events = try items[index].socket?.events ?? PollEvents(epoll: signal.events)
    found[index] = events.intersection(items[index].events.union(.failed))
    if was.isEmpty, !found[index].isEmpty { ready += 1 }
    if !was.isEmpty, found[index].isEmpty { ready -= 1 }
  }

  /// What the last poll found of the item at `index`.
  @inline(__always)
  public func events(of index: Int) -> PollEvents { found[index] }
}

extension PollEvents {
  fileprivate init(epoll events: UInt32) {
    self = []
    if events & (EPOLLIN.rawValue | EPOLLHUP.rawValue) != 0 { insert(.readable) }
    if events & EPOLLOUT.rawValue != 0 { insert(.writable) }
    if events & EPOLLERR.rawValue != 0 { insert(.failed) }
  }

  fileprivate var epoll: UInt32 {
    (contains(.readable) ? EPOLLIN.rawValue : 0) | (contains(.writable) ? EPOLLOUT.rawValue : 0)
  }
}

private func milliseconds() -> Int {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return now.tv_sec * 1000 + now.tv_nsec / 1_000_000
}
