// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC
internal import ZeroMQ

/// One address of a service: its connection, and what is known of the program behind it. On the socket thread.
///
/// Unchecked Sendable: all of it runs on the socket thread.
final class Replica: LoopMember, @unchecked Sendable {
  let endpoint: String
  private unowned let pool: ReplicaPool
  private let thread: SocketThread
  /// Nil for a moment after a loss.
  private var connection: ClientConnection?
  /// Nil in plain text.
  private let keys: ClientKeys?
  /// Connections refused since one was ready.
  private var refusals = 0
  /// A connection with newer keys beside `connection`, which it replaces once it is ready.
  private var succession = Succession()
  /// When to connect again, in milliseconds of the monotonic clock.
  private var reconnectsAt: Int64 = 0
  private let message = MultipartMessage(frameLimit: Envelope.frameLimit, byteLimit: ReplicaPool.replyLimit)
  private var isOpen = true

  /// Attempts sent here and not ended.
  var outstanding = 0
  var clock = ServerClock()
  var health: ReplicaHealth
  /// It says that it will stop, or has only just started: it is given calls only when there is no other.
  var isDraining = false
  /// It takes no calls, until it says that it does.
  var isRefusing = false
  /// The name no longer has this address: it goes once nothing is under way and another is there.
  var isRemoved = false

  private static let messagesPerTurn = 256
  /// After a loss, in milliseconds. A server that is not back yet is tried again by libzmq.
  private static let reconnectInterval: Int64 = 20

  init(_ endpoint: String, of pool: ReplicaPool, _ thread: SocketThread, _ outliers: OutlierPolicy) throws {
    self.endpoint = endpoint
    self.pool = pool
    self.thread = thread
    health = ReplicaHealth(outliers, now: MonotonicClock.milliseconds())
    keys = pool.keys(for: endpoint)
    connection = try makeConnection(refusals: 0)
    keys?.ring.observe(by: self) { [unowned self] in
      succession.keysChanged()
      self.thread.giveTurn(to: self)
    }
  }

  /// - Returns: nil while no key of the server is listed.
  private func makeConnection(refusals: Int) throws(ZeroMQError) -> ClientConnection? {
    let choice = keys?.choice(after: refusals)
    if keys != nil, choice == nil { return nil }
    return try ClientConnection(
      endpoint, in: thread.context, largestReply: ReplicaPool.replyLimit, keys: choice)
  }

  /// Messages flow.
  var isReady: Bool { connection?.isReady == true }
  /// While it is ready.
  var socket: Socket? { connection.flatMap { $0.isReady ? $0.socket : nil } }
  var connectionNumber: Int { connection?.number ?? 0 }

  /// The socket of a connection that stands, by its number.
  func socket(of number: Int) -> Socket? {
    if let connection, connection.number == number { return socket }
    return succession.leaving.first { $0.number == number && !$0.isLost }?.socket
  }

  // MARK: The loop

  func pollItems() -> [PollItem] {
    (connection.map { $0.pollItems } ?? []) + succession.pollItems
  }

  func turn() -> Bool {
    guard isOpen else { return false }
    if connection == nil { reconnect() }
    let now = MonotonicClock.nanoseconds()
    var count = 0
    if let socket = connection?.socket {
      while count < Replica.messagesPerTurn, receive(from: socket, now) { count += 1 }
    }
    if count > 0 { heard(now) } else { readEvents(now) }
    if keys != nil { lookAfterKeys(now) }
    return count == Replica.messagesPerTurn
  }

  func nextTimeout() -> Int? {
    guard isOpen else { return nil }
    var next = connection == nil ? reconnectsAt : .max
    if keys != nil, let due = succession.dueAt { next = min(next, due) }
    return next == .max ? nil : max(0, Int(next - MonotonicClock.milliseconds()))
  }

  func stop() {
    thread.assertCurrent()
    guard isOpen else { return }
    isOpen = false
    connection?.close()
    connection = nil
    succession.close()
  }

  private func heard(_ now: UInt64) {
    if health.heard(now: Int64(now / 1_000_000), owesMore: outstanding > 0) { pool.rotationChanged() }
  }

  /// - Returns: whether there was a message.
  private func receive(from socket: Socket, _ now: UInt64) -> Bool {
    guard isOpen, (try? message.receive(from: socket)) == true else { return false }
    let envelope = Envelope(message, routeStart: 0)
    guard let first = envelope.route.first, let correlation = Correlation(frame: message[first]) else { return true }
    var metadata = ReplyMetadata()
    if let index = envelope.metadata { metadata = clock.read(message[index]) }
    if (metadata.draining == true) != isDraining { drainingChanged(metadata.draining == true) }
    // Late, or nothing of ours.
    guard let call = pool.take(correlation, repliedBy: self, metadata.errorCode, now) else { return true }
    guard !message.hasTooManyBytes, !message.hasTooManyFrames else {
      call.completion(
        .failed(.resourceExhausted("the reply is too large", reason: "replyTooLarge", processed: .yes)))
      return true
    }
    if metadata.refused == true {
      pool.refused(call, by: self, Array(message[envelope.body]), metadata)
    } else if metadata.errorCode == nil || !pool.triesAgain(call, self, metadata) {
      call.completion(.reply(body: Array(message[envelope.body]), metadata: metadata))
    }
    return true
  }

  private func drainingChanged(_ isDraining: Bool) {
    self.isDraining = isDraining
    if !isDraining { isRefusing = false }
    pool.rotationChanged()
  }

  private func readEvents(_ now: UInt64) {
    guard let connection else { return }
    let wasReady = connection.isReady
    connection.readEvents()
    if connection.isReady { refusals = 0 }
    if connection.isLost || (connection.isRefused && keys != nil) {
      if connection.isRefused { refusals += 1 }
      lose(connection, now)
    } else if connection.isReady != wasReady {
      _ = health.heard(now: Int64(now / 1_000_000))
      pool.connected(self)
    }
  }

  private func lose(_ connection: ClientConnection, _ now: UInt64) {
    // What arrived before the loss counts.
    while receive(from: connection.socket, now) {}
    connection.close()
    self.connection = nil
    clock = ServerClock()
    isDraining = false
    isRefusing = false
    // A server that knows our key by and by is asked ever less often.
    reconnectsAt =
      MonotonicClock.milliseconds() + Replica.reconnectInterval << Int64(min(max(0, refusals - 1), 5))
    thread.pollItemsChanged(of: self)
    pool.lost(self)
    pool.closed(connection.number, of: self)
  }

  private func reconnect() {
    let now = MonotonicClock.milliseconds()
    guard now >= reconnectsAt else { return }
    connection = try? makeConnection(refusals: refusals)
    // No descriptor is left, or no key is listed: later.
    if connection == nil { reconnectsAt = now + 10 * Replica.reconnectInterval }
    thread.pollItemsChanged(of: self)
  }

  /// Moves over to newer keys without losing a call: the new connection is made first, and the old one is closed when
  /// its last call has ended.
  private func lookAfterKeys(_ now: UInt64) {
    guard let keys else { return }
    if let current = connection, current.isReady, let choice = current.keys, keys.isOutdated(choice) {
      if succession.isDue, let newest = keys.choice(after: 0) {
        succession.next = try? ClientConnection(
          endpoint, in: thread.context, largestReply: ReplicaPool.replyLimit, keys: newest)
        thread.pollItemsChanged(of: self)
      }
      // Whoever holds a key that was taken off the list may be anyone.
      if succession.isStuck, !keys.isListed(choice) { lose(current, now) }
    }
    guard !succession.isIdle else { return }
    if let next = succession.takeReady() {
      if let old = connection { succession.leaving.append(old) }
      connection = next
      thread.pollItemsChanged(of: self)
      pool.connected(self)
    }
    for old in succession.leaving {
      while receive(from: old.socket, now) {}
      old.readEvents()
      guard old.isLost || !pool.calls.hasSent(on: old.number) else { continue }
      while receive(from: old.socket, now) {}
      old.close()
      pool.closed(old.number, of: self)
      succession.leaving.removeAll { $0 === old }
      thread.pollItemsChanged(of: self)
    }
    if succession.dropRefused() { thread.pollItemsChanged(of: self) }
  }
}
