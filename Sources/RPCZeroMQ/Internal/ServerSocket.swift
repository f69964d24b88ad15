// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import Logging
internal import Metrics
internal import RPC
internal import Synchronization
internal import Threading
internal import ZeroMQ

/// The inside of a `ZeroMQServer`: its ROUTER, on the socket thread.
///
/// Unchecked Sendable: all but `answer` runs on the socket thread, which is asserted.
final class ServerSocket: LoopMember, @unchecked Sendable {
  let endpoint: String
  /// Of every message that does not come by CURVE.
  let peer: Peer
  private var senders: SenderRoles?
  private let metrics: ServerMetrics
  /// Of a tcp endpoint: on ipc libzmq ends the process when it cannot accept.
  private let acceptMonitor: SocketMonitor?

  private let thread: SocketThread
  private let handler: any MessageHandler
  private let socket: Socket
  private let message = MultipartMessage(
    frameLimit: ServerSocket.routingIDs + Envelope.frameLimit, byteLimit: Envelope.byteLimit)
  /// Tells this process's servers apart.
  private let number: UInt64
  private let noMetadata = CallMetadata()
  private let callers = CallerCache()
  private let limits: ReplyLimits
  private var outboxes: Outboxes
  private var losses: LossLog
  /// Replies made in this lap, not given to libzmq yet.
  private var held: [RoutedReply] = []
  private var texts = ReplyMetadataTexts()
  private var awaitingReply = 0
  private var isOpen = true
  private var waitingForIdle: [@Sendable () -> Void] = []

  /// Frames that a ROUTER puts in front of what its client sent.
  private static let routingIDs = 1
  /// Messages of one wake.
  private static let messagesPerTurn = 256
  /// A lap's replies go out this many at a time: each burst wakes libzmq's IO thread and the client once, instead of once
  /// a reply, and the first are on their way while the next are made.
  private static let repliesPerBurst = 16
  private static let counter = Atomic<UInt64>(0)

  /// In plain text.
  convenience init(
    _ endpoint: String, _ handler: any MessageHandler, _ thread: SocketThread, _ limits: ReplyLimits,
    _ metrics: ServerMetrics, _ logger: Logger?
  ) throws {
    let socket = try Socket(.router, in: thread.context)
    try socket.set(.sendHighWaterMark, limits.queued)
    if let bytes = limits.kernelBytes { try socket.set(.sendBuffer, bytes) }
    let monitor =
      endpoint.hasPrefix("tcp://") ? try SocketMonitor(acceptFailuresOf: socket, in: thread.context) : nil
    self.init(
      socket, boundTo: try socket.bind(endpoint), monitor, handler, thread, limits, metrics, logger,
      peer: IPCFolder.isPrivate(endpoint) ? .local : .unknown, senders: nil)
  }

  /// By CURVE: `pair` is whom its clients must expect.
  convenience init(
    _ port: ListeningPort, _ pair: CurveKeyPair, _ ring: KeyRing, _ handler: any MessageHandler, _ thread: SocketThread,
    _ limits: ReplyLimits, _ metrics: ServerMetrics, _ logger: Logger?
  ) throws {
    let socket = try Socket(.router, in: thread.context)
    try socket.set(.sendHighWaterMark, limits.queued)
    if let bytes = limits.kernelBytes { port.setSendBuffer(bytes) }
    try socket.serveCurve(pair, domain: KeyRing.domain, judgedBy: ring.zap)
    let monitor = try SocketMonitor(acceptFailuresOf: socket, in: thread.context)
    self.init(
      socket, boundTo: try socket.bind(port), monitor, handler, thread, limits, metrics, logger, peer: .unknown,
      senders: SenderRoles(ring))
  }

  private init(
    _ socket: Socket, boundTo endpoint: String, _ acceptMonitor: SocketMonitor?, _ handler: any MessageHandler,
    _ thread: SocketThread, _ limits: ReplyLimits, _ metrics: ServerMetrics, _ logger: Logger?, peer: Peer,
    senders: SenderRoles?
  ) {
    self.limits = limits
    outboxes = Outboxes(limits)
    losses = LossLog(logger)
    self.socket = socket
    self.endpoint = endpoint
    self.handler = handler
    self.thread = thread
    self.metrics = metrics
    self.acceptMonitor = acceptMonitor
    self.peer = peer
    self.senders = senders
    number = ServerSocket.counter.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// The handler's answer, from any thread.
  func answer(_ reply: OutboundReply, to route: ReplyRoute) {
    if thread.isCurrent {
      send(reply, to: route)
    } else if !thread.mailbox.add(.reply(route, reply)) {
      metrics.repliesDropped.increment()
    }
  }

  func whenIdle(_ resume: @escaping @Sendable () -> Void) {
    waitingForIdle.append(resume)
    noticeIdle()
  }

  func pollItems() -> [PollItem] { [PollItem(socket)] + (acceptMonitor.map { [PollItem($0.socket)] } ?? []) }

  func turn() -> Bool {
    guard isOpen else { return false }
    if !outboxes.isEmpty { retryOutboxes() }
    var count = 0
    while count < ServerSocket.messagesPerTurn, receive() { count += 1 }
    if count > 0 { handler.turnEnded() } else if acceptMonitor != nil { readEvents() }
    return count == ServerSocket.messagesPerTurn
  }

  func flush() {
    if !held.isEmpty { deliverHeld() }
  }

  func nextTimeout() -> Int? { outboxes.isEmpty ? nil : outboxes.nextTry(at: MonotonicClock.milliseconds()) }

  func stop() {
    thread.assertCurrent()
    guard isOpen else { return }
    deliverHeld()
    isOpen = false
    metrics.repliesDropped.increment(by: outboxes.removeAll())
    acceptMonitor?.close()
    socket.close()
    resumeIdle()
  }

  /// While descriptors lack libzmq reports a failure for each try, so no more at once than messages.
  private func readEvents() {
    for _ in 0..<ServerSocket.messagesPerTurn {
      guard let event = try? acceptMonitor?.next() else { return }
      if event == .acceptFailed { metrics.acceptFailures.increment() }
    }
  }

  /// - Returns: whether there was a message.
  private func receive() -> Bool {
    do throws(ZeroMQError) {
      guard try message.receive(from: socket) else { return false }
    } catch {
      return false
    }
    // A routing id alone is no message.
    guard message.count >= 2 else { return true }
    awaitingReply += 1
    guard !message.hasTooManyFrames else {
      let route = ReplyRoute(self, message, Envelope(ofTooManyFrames: message))
      refuse(
        "the message has \(message.receivedFrames - ServerSocket.routingIDs) frames; at most \(Envelope.frameLimit) are allowed",
        reason: "tooManyFrames", route)
      return true
    }
    let envelope = Envelope(message, routeStart: 1)
    let route = ReplyRoute(self, message, envelope)
    guard !message.hasTooManyBytes else {
      refuse(
        "the message has \(message.receivedBytes) bytes; at most \(Envelope.byteLimit) are allowed",
        reason: "messageTooLarge", route)
      return true
    }
    hand(envelope, route)
    return true
  }

  /// Who sent it; nil: its key was taken off the list.
  @inline(__always)
  private func sender() -> Peer? { senders == nil ? peer : senders!.peer(of: message) }

  @inline(__always)
  private func hand(_ envelope: Envelope, _ route: ReplyRoute) {
    let body = message[envelope.body]
    guard let peer = sender() else {
      return refuse(
        .permissionDenied("this connection's key is no longer listed", reason: "keyRemoved"), route, from: .unknown)
    }
    guard let index = envelope.metadata else {
      handler.receive(InboundMessage(body: body, metadata: noMetadata, peer: peer, connection: connection)) {
        route.answer($0)
      }
      return
    }
    var metadata = CallMetadata()
    var metadataError: RPCError?
    do throws(RPCError) { metadata = try CallMetadata(frame: message[index], callers) } catch { metadataError = error }
    handler.receive(
      InboundMessage(
        body: body, metadata: metadata, metadataError: metadataError, peer: peer, connection: connection,
        correlation: envelope.route.last.flatMap { Correlation(frame: message[$0]) })
    ) { route.answer($0) }
  }

  /// Tells connections apart, those of other servers in the process too. An id that the ROUTER made up has five bytes of
  /// which the first is 0; a client that chooses one of its own cannot choose such.
  private var connection: UInt64 {
    let id = message[0]
    if id.count == 5 {
      return number << 32 | UInt64(UInt32(bigEndian: id.loadUnaligned(fromByteOffset: 1, as: UInt32.self)))
    }
    var hasher = Hasher()
    hasher.combine(number)
    hasher.combine(bytes: id)
    return UInt64(bitPattern: Int64(hasher.finalize())) | 1 << 63
  }

  private func refuse(_ problem: String, reason: String, _ route: ReplyRoute) {
    refuse(RPCError(.invalidRequest, problem, reason: reason), route, from: sender() ?? .unknown)
  }

  private func refuse(_ error: RPCError, _ route: ReplyRoute, from peer: Peer) {
    handler.refuse(error, from: peer, connection: connection) { route.answer($0) }
  }

  func send(_ reply: OutboundReply, to route: ReplyRoute) {
    thread.assertCurrent()
    awaitingReply -= 1
    if !reply.body.isEmpty || route.awaitsReply {
      held.append(RoutedReply(reply, to: route, &texts))
      if held.count >= ServerSocket.repliesPerBurst || thread.isEndingLap { deliverHeld() }
    }
    if !waitingForIdle.isEmpty { noticeIdle() }
  }

  private func deliverHeld() {
    for reply in held { deliver(reply) }
    held.removeAll(keepingCapacity: true)
    if !waitingForIdle.isEmpty { noticeIdle() }
  }

  private func deliver(_ reply: RoutedReply) {
    guard isOpen else { return metrics.repliesDropped.increment() }
    // A client that is behind gets its replies in order.
    if !outboxes.isEmpty, outboxes.isBehind(reply.route) { return keep(reply) }
    do throws(ZeroMQError) {
      if try !write(reply, &outboxes, isKept: false) { keep(reply) }
    } catch {
      metrics.repliesDropped.increment()
    }
  }

  /// - Parameter isKept: it comes from there.
  /// - Returns: false when the client's queue is full; nothing was sent.
  /// - Throws: `hostUnreachable` when the client has gone.
  private func write(_ reply: RoutedReply, _ outboxes: inout Outboxes, isKept: Bool) throws(ZeroMQError) -> Bool {
    var account: QueuedBytes?
    if limits.queuedBytes < .max, reply.body.count >= ReplyLimits.large {
      account = outboxes.account(for: reply, isKept: isKept)
      if account == nil { return false }
    }
    return try write(reply, countedIn: account)
  }

  private func write(_ reply: RoutedReply, countedIn account: QueuedBytes?) throws(ZeroMQError) -> Bool {
    try reply.route.withFrames { frames throws(ZeroMQError) in
      // A ROUTER decides at the routing id whether it takes the message.
      guard let id = frames.next(), try socket.send(id, more: true) else { return false }
      while let frame = frames.next() { _ = try socket.send(frame, more: true) }
      if !reply.metadata.isEmpty {
        _ = try socket.send(Envelope.markBytes, more: true)
        _ = try socket.send(reply.metadata, more: true)
      }
      if let account { _ = try socket.send(reply.body, countedIn: account) } else { _ = try socket.send(reply.body) }
      return true
    }
  }

  private func keep(_ reply: RoutedReply) {
    let now = MonotonicClock.milliseconds()
    let lost = outboxes.add(reply, at: now)
    guard lost > 0 else { return }
    metrics.repliesDropped.increment(by: lost)
    losses.note(lost, at: now)
  }

  private func retryOutboxes() {
    let now = MonotonicClock.milliseconds()
    let lost = outboxes.retry(at: now) { reply, outboxes throws(ZeroMQError) in
      try write(reply, &outboxes, isKept: true)
    }
    metrics.repliesDropped.increment(by: lost)
    losses.note(0, at: now)
    if !waitingForIdle.isEmpty { noticeIdle() }
  }

  /// Whether every message taken has been answered and every reply handed to libzmq.
  var isIdle: Bool { awaitingReply == 0 && held.isEmpty && outboxes.isEmpty }

  private func noticeIdle() {
    if isIdle { resumeIdle() }
  }

  func resumeIdle() {
    let waiting = waitingForIdle
    waitingForIdle = []
    for resume in waiting { resume() }
  }
}
