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

/// Waits for sockets and plain descriptors together, with one system call.
///
/// `zmq_poll` asks libzmq about every socket before and after it sleeps, two system calls each, which for a process with a
/// dozen sockets is most of what a call costs. A socket's descriptor (ZMQ_FD) alone will not do: it signals changes, not
/// states, and any call on the socket may take the signal. So a socket is asked only if its descriptor signals, or if it
/// was used since it last was seen without a message (`Socket.mayHoldUnseen`). A result can be stale all the same; receive
/// until false. Belongs to the thread of its sockets.
///
/// Source: zmq_getsockopt(3), ZMQ_FD and ZMQ_EVENTS.
public final class Poller {
  private var items: [PollItem] = []
  private var descriptors: [pollfd] = []
  private var found: [PollEvents] = []

  public init() {}

  /// What to poll from now on. A socket must not be closed while it is polled.
  public func replaceItems(_ new: [PollItem]) {
    items = new
    found = Array(repeating: [], count: new.count)
    descriptors = new.map { item in
      guard let socket = item.socket else { return pollfd(fd: item.descriptor, events: item.events.posix, revents: 0) }
      return pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
    }
  }

  public var count: Int { items.count }

  /// Waits until an item is ready, a signal comes or the time is over.
  /// - Parameter timeout: in milliseconds, negative: without end.
  /// - Returns: how many items are ready.
  @discardableResult
  public func poll(timeout: Int) throws(ZeroMQError) -> Int {
    var ready = try lookAtUsedSockets()
    var left = ready > 0 ? 0 : timeout
    let end = left > 0 ? milliseconds() + left : 0
    while true {
      guard Glibc.poll(&descriptors, nfds_t(descriptors.count), CInt(clamping: left)) >= 0 else {
        if errno == EINTR { return ready }
        throw .current
      }
      let isSignalled = try lookAtDescriptors(&ready)
      if ready > 0 || !isSignalled || left == 0 { return ready }
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

  /// - Returns: whether any descriptor signalled at all.
  private func lookAtDescriptors(_ ready: inout Int) throws(ZeroMQError) -> Bool {
    var isSignalled = false
    for index in items.indices where descriptors[index].revents != 0 {
      isSignalled = true
      let was = found[index]
      let events = try items[index].socket?.events ?? PollEvents(posix: descriptors[index].revents)
      found[index] = events.intersection(items[index].events.union(.failed))
      if was.isEmpty, !found[index].isEmpty { ready += 1 }
      if !was.isEmpty, found[index].isEmpty { ready -= 1 }
    }
    return isSignalled
  }

  /// What the last poll found of the item at `index`.
  @inline(__always)
  public func events(of index: Int) -> PollEvents { found[index] }
}

extension PollEvents {
  fileprivate init(posix events: Int16) {
    self = []
    if events & Int16(POLLIN | POLLHUP) != 0 { insert(.readable) }
    if events & Int16(POLLOUT) != 0 { insert(.writable) }
    if events & Int16(POLLERR | POLLNVAL) != 0 { insert(.failed) }
  }

  fileprivate var posix: Int16 {
    Int16((contains(.readable) ? POLLIN : 0) | (contains(.writable) ? POLLOUT : 0))
  }
}

private func milliseconds() -> Int {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return now.tv_sec * 1000 + now.tv_nsec / 1_000_000
}
