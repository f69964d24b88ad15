// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC
internal import ZeroMQ

/// The inside of a `ZeroMQClient`: its DEALER, on the socket thread.
///
/// Calls are given to libzmq only while a connection is known to stand, so it is known of each whether it went out on one
/// that is now lost.
///
/// Unchecked Sendable: all of it runs on the socket thread, which is asserted.
final class ClientSocket: LoopMember, @unchecked Sendable {
  private let thread: SocketThread
  private let endpoint: String
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
  private let message = MultipartMessage(frameLimit: Envelope.frameLimit, byteLimit: ClientSocket.replyLimit)
  private let callLimit: Int
  private var calls = PendingCalls()
  /// Calls not given to libzmq yet, oldest first; those that ended meanwhile among them.
  private var queue: [Correlation] = []
  private var serverClock = ServerClock()
  private var scratch: [UInt8] = []
  private var isOpen = true

  private static let messagesPerTurn = 256
  /// Bytes of a reply, all frames together: a batch's replies may be longer than any request.
  private static let replyLimit = 8 << 20
  /// Calls made during a lap of the loop go out together at its end, or this many at a time: each burst wakes libzmq's IO
  /// thread and the server once, instead of once a call.
  private static let callsPerBurst = 16
  /// After a refused send on a standing connection, in milliseconds.
  private static let retryInterval: Int64 = 2
  /// After a loss, in milliseconds. A server that is not back yet is tried again by libzmq.
  private static let reconnectInterval: Int64 = 20
  static let stopped = RPCError.unavailable("the client is closed", reason: "closed")

  /// - Parameter keys: nil for plain text.
  init(_ endpoint: String, callLimit: Int, keys: ClientKeys?, _ thread: SocketThread) throws {
    self.thread = thread
    self.callLimit = min(callLimit, PendingCalls.capacity)
    self.endpoint = endpoint
    self.keys = keys
    connection = try makeConnection()
    keys?.ring.observe(by: self) { [unowned self] in
      succession.keysChanged()
      self.thread.giveTurn(to: self)
    }
  }

  /// - Returns: nil while no key of the server is listed.
  private func makeConnection() throws(ZeroMQError) -> ClientConnection? {
    let choice = keys?.choice(after: refusals)
    if keys != nil, choice == nil { return nil }
    return try ClientConnection(
      endpoint, in: thread.context, largestReply: ClientSocket.replyLimit, keys: choice)
  }

  // MARK: Calls

  func send(_ request: OutboundRequest, _ token: CallToken, _ completion: @escaping @Sendable (InboundReply) -> Void) {
    thread.assertCurrent()
    if let error = refusal(of: request) { return completion(.failed(error)) }
    queue.append(calls.add(request, token, completion))
    if queue.count == ClientSocket.callsPerBurst { flush() }
  }

  private var readySocket: Socket? { connection.flatMap { $0.isReady ? $0.socket : nil } }

  private func refusal(of request: OutboundRequest) -> RPCError? {
    if !isOpen { return ClientSocket.stopped }
    if request.deadline.isPast {
      return .deadlineExceeded("the deadline had passed before the call was sent", processed: .no)
    }
    if calls.count >= callLimit {
      return .unavailable("\(callLimit) calls to this server are under way", reason: "tooManyCalls")
    }
    guard request.metadata.first == UInt8(ascii: "{"), request.metadata.count <= Envelope.metadataLimit - 128 else {
      return RPCError(.invalidRequest, "the metadata is no object, or too long", reason: "metadataTooLarge")
    }
    // Room for the route's frames and the routing id.
    if request.body.count + request.metadata.count > Envelope.byteLimit - 512 {
      return RPCError(
        .invalidRequest, "the request has \(request.body.count) bytes; at most \(Envelope.byteLimit) are allowed",
        reason: "messageTooLarge")
    }
    return nil
  }

  /// - Returns: false when nothing was sent.
  private func write(_ request: OutboundRequest, _ correlation: Correlation, to socket: Socket) -> Bool {
    do throws(ZeroMQError) {
      let isTaken = try correlation.withFrame { frame throws(ZeroMQError) in try socket.send(frame, more: true) }
      guard isTaken else { return false }
      _ = try socket.send(Envelope.markBytes, more: true)
      writeMetadata(request)
      _ = try socket.send(scratch, more: true)
      return try socket.send(request.body)
    } catch {
      return false
    }
  }

  /// The request's metadata into `scratch`, with the time that is left put in front.
  private func writeMetadata(_ request: OutboundRequest) {
    scratch.removeAll(keepingCapacity: true)
    scratch.append(#"{"timeoutMs":"#)
    scratch.appendDecimal(Int64(max(1, request.deadline.remainingMilliseconds)))
    if let expiresAt = serverClock.time(of: request.deadline) {
      scratch.append(#","expiresAt":"#)
      scratch.appendDecimal(expiresAt)
    }
    let rest = request.metadata.dropFirst()
    if rest.first != UInt8(ascii: "}") { scratch.append(UInt8(ascii: ",")) }
    scratch.append(contentsOf: rest)
  }

  /// - Returns: whether the call was there to cancel.
  func cancel(_ token: CallToken) -> Bool {
    thread.assertCurrent()
    guard let correlation = calls.find(token), let call = calls.take(correlation) else { return false }
    if call.isSent {
      var body: [UInt8] = []
      body.append(#"{"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":""#)
      body.append(contentsOf: correlation.hexadecimal.utf8)
      body.append(#""}}"#)
      // Refused only when the connection is lost, and the call with it.
      _ = try? readySocket?.send(body)
    }
    call.completion(.failed(.cancelled("cancelled by the caller", processed: call.isSent ? .unknown : .no)))
    return true
  }

  // MARK: The loop

  func pollItems() -> [PollItem] {
    (connection.map { $0.pollItems } ?? []) + succession.pollItems
  }

  func turn() -> Bool {
    guard isOpen else { return false }
    if connection == nil { reconnect() }
    var count = 0
    if let socket = connection?.socket {
      while count < ClientSocket.messagesPerTurn, receive(from: socket) { count += 1 }
    }
    if count == 0 { readEvents() }
    if keys != nil { lookAfterKeys() }
    expire()
    return count == ClientSocket.messagesPerTurn
  }

  func nextTimeout() -> Int? {
    var next = calls.nextDeadline
    let now = MonotonicClock.milliseconds()
    if connection == nil { next = min(next ?? .max, reconnectsAt) }
    if !queue.isEmpty, readySocket != nil { next = min(next ?? .max, now + ClientSocket.retryInterval) }
    if keys != nil, let due = succession.dueAt { next = min(next ?? .max, due) }
    return next.map { max(0, Int($0 - now)) }
  }

  func stop() {
    thread.assertCurrent()
    guard isOpen else { return }
    isOpen = false
    connection?.close()
    connection = nil
    succession.close()
    queue = []
    for call in calls.takeAll() {
      call.completion(.failed(.unavailable("the client was closed", reason: "closed", processed: call.mayHaveRun)))
    }
  }

  /// - Returns: whether there was a message.
  private func receive(from socket: Socket) -> Bool {
    guard (try? message.receive(from: socket)) == true else { return false }
    let envelope = Envelope(message, routeStart: 0)
    guard let first = envelope.route.first, let correlation = Correlation(frame: message[first]),
      let call = calls.take(correlation)
    else { return true }  // Late, or nothing of ours.
    guard !message.hasTooManyBytes, !message.hasTooManyFrames else {
      call.completion(
        .failed(.resourceExhausted("the reply is too large", reason: "replyTooLarge", processed: .yes)))
      return true
    }
    var metadata = ReplyMetadata()
    if let index = envelope.metadata { metadata = serverClock.read(message[index]) }
    call.completion(.reply(body: Array(message[envelope.body]), metadata: metadata))
    return true
  }

  private func readEvents() {
    guard let connection else { return }
    connection.readEvents()
    if connection.isReady { refusals = 0 }
    guard connection.isLost || (connection.isRefused && keys != nil) else { return }
    if connection.isRefused { refusals += 1 }
    lose(connection)
  }

  private func lose(_ connection: ClientConnection) {
    drop(connection)
    self.connection = nil
    serverClock = ServerClock()
    // A server that knows our key by and by is asked ever less often.
    reconnectsAt =
      MonotonicClock.milliseconds() + ClientSocket.reconnectInterval << Int64(min(max(0, refusals - 1), 5))
    thread.pollItemsChanged(of: self)
  }

  /// Closes a connection and ends the calls that went out on it; what has arrived counts.
  private func drop(_ connection: ClientConnection) {
    while receive(from: connection.socket) {}
    connection.close()
    for call in calls.takeAllSent(on: connection.number) {
      call.completion(.failed(.unavailable("the connection was lost", reason: "connectionLost", processed: .unknown)))
    }
  }

  private func reconnect() {
    guard MonotonicClock.milliseconds() >= reconnectsAt else { return }
    connection = try? makeConnection()
    // No descriptor is left, or no key is listed: later.
    if connection == nil { reconnectsAt = MonotonicClock.milliseconds() + 10 * ClientSocket.reconnectInterval }
    thread.pollItemsChanged(of: self)
  }

  /// Moves over to newer keys without losing a call: the new connection is made first, and the old one is closed when
  /// its last call has ended.
  private func lookAfterKeys() {
    guard let keys else { return }
    if let current = connection, current.isReady, let choice = current.keys, keys.isOutdated(choice) {
      if succession.isDue, let newest = keys.choice(after: 0) {
        succession.next = try? ClientConnection(
          endpoint, in: thread.context, largestReply: ClientSocket.replyLimit, keys: newest)
        thread.pollItemsChanged(of: self)
      }
      // Whoever holds a key that was taken off the list may be anyone.
      if succession.isStuck, !keys.isListed(choice) { lose(current) }
    }
    guard !succession.isIdle else { return }
    if let next = succession.takeReady() {
      if let old = connection { succession.leaving.append(old) }
      connection = next
      thread.pollItemsChanged(of: self)
    }
    for old in succession.leaving {
      while receive(from: old.socket) {}
      old.readEvents()
      guard old.isLost || !calls.hasSent(on: old.number) else { continue }
      drop(old)
      succession.leaving.removeAll { $0 === old }
      thread.pollItemsChanged(of: self)
    }
    if succession.dropRefused() { thread.pollItemsChanged(of: self) }
  }

  func flush() {
    guard !queue.isEmpty, let connection, connection.isReady else { return }
    var sent = 0
    for correlation in queue {
      if let request = calls.request(of: correlation) {
        guard write(request, correlation, to: connection.socket) else { break }
        calls.markSent(correlation, on: connection.number)
      }
      sent += 1
    }
    queue.removeFirst(sent)
  }

  private func expire() {
    let now = MonotonicClock.milliseconds()
    guard let next = calls.nextDeadline, next <= now else { return }
    for call in calls.takeExpired(now) {
      call.completion(
        .failed(
          call.isSent
            ? .deadlineExceeded("no reply within the deadline", processed: .unknown)
            : .unavailable("not connected within the deadline", reason: "notConnected")))
    }
    // What ended here is still named in the queue; a server that stays away must not make it grow.
    if queue.count > 2 * calls.count { queue.removeAll { calls.request(of: $0) == nil } }
  }
}
