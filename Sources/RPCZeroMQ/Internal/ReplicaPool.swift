// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import Metrics
internal import RPC
internal import ZeroMQ

/// The inside of a `ZeroMQClient`: the replicas of one service and the calls under way, on the socket thread. A member of
/// the loop for its timers; each replica is one for its sockets.
///
/// Calls are given to libzmq only while a connection is known to stand, so it is known of each whether it went out on one
/// that is now lost.
///
/// Unchecked Sendable: all of it runs on the socket thread, which is asserted.
final class ReplicaPool: LoopMember, @unchecked Sendable {
  let thread: SocketThread
  let policy: ClientPolicy
  let metrics: ClientMetrics
  private let security: BusSecurity
  private let server: PeerRole
  let breaker: Breaker
  var resolver: Resolver?
  var replicas: [Replica] = []
  /// Those that calls go to: the best there are.
  private(set) var rotation: [Replica] = []
  /// When `rotation` must be looked at again, because an ejection ends.
  private var rotationEnds = Int64.max
  /// When the replicas are next looked after, in monotonic milliseconds.
  private var lookAt = Int64.max
  var calls = PendingCalls()
  /// Calls not given to libzmq yet, oldest first; those that ended meanwhile among them.
  var queue: [Correlation] = []
  /// How many of them, from the first on, have been waiting since an earlier lap and have their timers set.
  private var waiting = 0
  var balancer = Balancer(seed: .random(in: .min ... .max))
  var budget = RetryBudget()
  /// Of all methods together, for calls of none in particular.
  let profile = MethodProfile()
  private var scratch: [UInt8] = []
  private(set) var isOpen = true

  /// Bytes of a reply, all frames together: a batch's replies may be longer than any request.
  static let replyLimit = 8 << 20
  /// Calls made during a lap of the loop go out together at its end, or this many at a time: each burst wakes libzmq's IO
  /// thread and the server once, instead of once a call.
  private static let callsPerBurst = 16
  /// Between questions to a replica that takes no calls, in milliseconds: it may only just have started.
  private static let refusingInterval: Int64 = 50
  /// After a refused send on a standing connection, in milliseconds.
  private static let retryInterval: Int64 = 2
  static let stopped = RPCError.unavailable("the client is closed", reason: "closed")

  init(
    _ policy: ClientPolicy, _ thread: SocketThread, _ security: BusSecurity, _ server: PeerRole,
    _ metrics: ClientMetrics
  ) {
    self.thread = thread
    self.policy = policy
    self.metrics = metrics
    self.security = security
    self.server = server
    breaker = Breaker(limitPerReplica: min(policy.callsPerReplica, PendingCalls.capacity))
  }

  /// The keys for an endpoint; nil for plain text.
  func keys(for endpoint: String) -> ClientKeys? {
    guard endpoint.hasPrefix("tcp://"), case .curve(let ring) = security else { return nil }
    return ClientKeys(ring: ring, server: server)
  }

  /// Whether an address that a name stands for may be connected to.
  func allows(_ endpoint: String) -> Bool {
    if case .local = security { return Endpoint.isLocal(endpoint) }
    return true
  }

  // MARK: Calls

  var room: Int { breaker.room(underWay: calls.count, replicas: replicas.count) }

  func send(_ request: OutboundRequest, _ token: CallToken, _ completion: @escaping @Sendable (InboundReply) -> Void) {
    thread.assertCurrent()
    let now = MonotonicClock.nanoseconds()
    if let error = refusal(of: request, now) { return completion(.failed(error)) }
    queue.append(calls.add(request, token, completion))
    if queue.count - waiting == ReplicaPool.callsPerBurst { sendQueued() }
  }

  /// Sends to a replica of the rotation.
  /// - Returns: false when there is none that takes it.
  func dispatch(_ correlation: Correlation, _ request: OutboundRequest, _ history: CallHistory?, _ now: UInt64) -> Bool
  {
    guard let replica = pick(avoiding: history?.avoids ?? []), let socket = replica.socket else { return false }
    return send(correlation, request, history, to: replica, socket, now)
  }

  /// Two choices. After a failure the one with the fewest calls under way: of those that are not to be avoided; if there is
  /// none, of those where it did not fail last.
  private func pick(avoiding: [Replica]) -> Replica? {
    if let last = avoiding.last {
      let fresh = rotation.filter { replica in !avoiding.contains { $0 === replica } }
      let others = fresh.isEmpty ? rotation.filter { $0 !== last } : fresh
      return others.min { $0.outstanding < $1.outstanding } ?? rotation.first
    }
    return balancer.pick(rotation.count, outstanding: { rotation[$0].outstanding }).map { rotation[$0] }
  }

  func send(
    _ correlation: Correlation, _ request: OutboundRequest, _ history: CallHistory?, to replica: Replica,
    _ socket: Socket, _ now: UInt64
  ) -> Bool {
    let milliseconds = Int64(now / 1_000_000)
    // To be carried out again elsewhere when it takes too long, and not here any more by then; if this is the only one now,
    // another may be well by then.
    var attemptEnds = Int64.max
    if replicas.count > 1, request.isIdempotent, history?.mayRepeat(policy.retry) ?? true {
      let left = Int(Int64(request.deadline.uptimeNanoseconds / 1_000_000) - milliseconds)
      let p99 = (request.profile ?? profile).p99Milliseconds
      attemptEnds = milliseconds + Int64(policy.retry.attempt(remaining: left, p99: p99))
    }
    let expires = rotation.count > 1 ? attemptEnds : .max
    guard write(request, correlation, to: replica, socket, expires: expires, attempt: history?.attempt ?? 1, now) else {
      return false
    }
    replica.outstanding += 1
    replica.health.owes(from: milliseconds)
    calls.update(correlation) { call in
      call.replica = replica
      call.connection = replica.connectionNumber
      call.sentAt = now
      call.attemptEnds = attemptEnds
      if expires != .max, let profile = request.profile, profile.isHedged, history == nil {
        call.hedgesAt = milliseconds + Int64(policy.retry.hedge(p95: profile.p95Milliseconds))
      }
    }
    return true
  }

  private func refusal(of request: OutboundRequest, _ now: UInt64) -> RPCError? {
    if !isOpen { return ReplicaPool.stopped }
    if request.deadline.uptimeNanoseconds <= now {
      return .deadlineExceeded("the deadline had passed before the call was sent", processed: .no)
    }
    guard breaker.admits(underWay: calls.count, replicas: replicas.count) else {
      metrics.refused.increment()
      return .unavailable(
        "\(calls.count) calls to this service are under way", reason: "tooManyCalls", retryAfterMs: 100)
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
  private func write(
    _ request: OutboundRequest, _ correlation: Correlation, to replica: Replica, _ socket: Socket, expires: Int64,
    attempt: Int, _ now: UInt64
  ) -> Bool {
    do throws(ZeroMQError) {
      let isTaken = try correlation.withFrame { frame throws(ZeroMQError) in try socket.send(frame, more: true) }
      guard isTaken else { return false }
      _ = try socket.send(Envelope.markBytes, more: true)
      writeMetadata(request, replica, expires: expires, attempt: attempt, now)
      _ = try socket.send(scratch, more: true)
      return try socket.send(request.body)
    } catch {
      return false
    }
  }

  /// The request's metadata into `scratch`, with the time that is left put in front.
  private func writeMetadata(
    _ request: OutboundRequest, _ replica: Replica, expires: Int64, attempt: Int, _ now: UInt64
  ) {
    let deadline = request.deadline.uptimeNanoseconds
    scratch.removeAll(keepingCapacity: true)
    scratch.append(#"{"timeoutMs":"#)
    scratch.appendDecimal(deadline > now ? Int64((deadline - now + 999_999) / 1_000_000) : 1)
    if let expiresAt = replica.clock.time(of: min(expires, Int64(deadline / 1_000_000))) {
      scratch.append(#","expiresAt":"#)
      scratch.appendDecimal(expiresAt)
    }
    if attempt > 1 {
      scratch.append(#","attempt":"#)
      scratch.appendDecimal(Int64(attempt))
    }
    let rest = request.metadata.dropFirst()
    if rest.first != UInt8(ascii: "}") { scratch.append(UInt8(ascii: ",")) }
    scratch.append(contentsOf: rest)
  }

  /// - Returns: whether the call was there to cancel.
  func cancel(_ token: CallToken) -> Bool {
    thread.assertCurrent()
    guard let correlation = calls.find(token), let call = take(correlation) else { return false }
    takeBack(call)
    call.completion(.failed(.cancelled("cancelled by the caller", processed: call.mayHaveRun)))
    return true
  }

  // MARK: The loop

  func pollItems() -> [PollItem] { [] }

  func turn() -> Bool {
    guard isOpen else { return false }
    let now = MonotonicClock.milliseconds()
    if now >= lookAt || now >= rotationEnds { lookAfterReplicas(now) }
    attendTimers(now)
    return false
  }

  func nextTimeout() -> Int? {
    var next = min(lookAt, rotationEnds, calls.nextTime ?? .max)
    if next == .max, queue.isEmpty { return nil }
    let now = MonotonicClock.milliseconds()
    if !queue.isEmpty, !rotation.isEmpty { next = min(next, now + ReplicaPool.retryInterval) }
    return next == .max ? nil : Int(max(0, next - now))
  }

  func stop() {
    thread.assertCurrent()
    guard isOpen else { return }
    isOpen = false
    resolver?.stop()
    for replica in replicas { replica.stop() }
    replicas = []
    rotation = []
    queue = []
    var ended = Set<CallToken>()
    for call in calls.takeAll() {
      // A call with two attempts ends once.
      if call.history != nil, !ended.insert(call.token).inserted { continue }
      call.completion(.failed(.unavailable("the client was closed", reason: "closed", processed: call.mayHaveRun)))
    }
  }

  /// Off the loop, and stopped.
  func close() {
    for replica in replicas { thread.detach(replica) }
    thread.detach(self)
    stop()
  }

  func flush() {
    metrics.underWay.set(calls.count)
    if !queue.isEmpty { sendQueued() }
    metrics.queued.set(queue.count)
  }

  private func sendQueued() {
    let now = MonotonicClock.nanoseconds()
    var sent = 0
    if !rotation.isEmpty {
      for correlation in queue {
        if let (request, history) = calls.unsent(correlation) {
          guard dispatch(correlation, request, history, now) else { break }
        }
        sent += 1
      }
    } else if waiting < queue.count {
      resolver?.resolveSoon()
    }
    if sent == queue.count {
      queue.removeAll(keepingCapacity: true)
      waiting = 0
      return
    }
    queue.removeFirst(sent)
    for correlation in queue.dropFirst(max(0, waiting - sent)) { calls.update(correlation) { $0.attemptEnds = .max } }
    waiting = queue.count
  }

  /// What ended here is still named in the queue; a service that stays away must not make it grow.
  func tidyQueue() {
    guard queue.count > 2 * calls.count else { return }
    let known = queue.prefix(waiting).filter { calls.unsent($0) != nil }
    queue = known + queue.dropFirst(waiting).filter { calls.unsent($0) != nil }
    waiting = known.count
  }

  // MARK: Rotation

  /// Who gets calls has changed: those that are ready and well; if there are none, those that are ready at least.
  func rotationChanged() {
    let now = MonotonicClock.milliseconds()
    let takers = replicas.filter { $0.isReady && !$0.isRefusing }
    let wanted = takers.filter { !$0.isRemoved }
    let best = wanted.filter { !$0.isDraining && $0.health.isWell(now: now) }
    rotation = best.isEmpty ? (wanted.isEmpty ? takers : wanted) : best
    metrics.replicas.set(rotation.count)
    rotationEnds = replicas.compactMap { $0.health.returnsAt(now: now) }.min() ?? .max
    if replicas.contains(where: { $0.isRefusing }) {
      lookAt = min(lookAt, now + ReplicaPool.refusingInterval)
    } else if replicas.count < 2 {
      lookAt = .max
    } else if lookAt == .max {
      lookAt = now
    }
  }

  /// Asks those that are silent, notices those that do not answer, and lets go of those that are no longer wanted.
  private func lookAfterReplicas(_ now: Int64) {
    lookAt = now + Int64(policy.outliers.probeInterval) / 4
    for replica in replicas where replica.isReady {
      if replica.health.noticeStall(now: now) {
        metrics.ejections.increment()
        resolver?.resolveSoon()
      }
      if replica.health.asks(now: now) || replica.isRefusing { ask(replica) }
    }
    dropRemoved()
    rotationChanged()
  }
}
