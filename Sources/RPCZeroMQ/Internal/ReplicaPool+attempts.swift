// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import Metrics
internal import RPC
internal import ZeroMQ

/// What becomes of attempts: replies, refusals, losses, time-outs, and the attempts made in their place or beside them.
extension ReplicaPool {
  /// Takes a call out with the attempt made beside it, which is taken back.
  func take(_ correlation: Correlation) -> PendingCall? {
    guard let call = calls.take(correlation) else { return nil }
    call.replica?.outstanding -= 1
    if let history = call.history, let partner = history.partner {
      history.partner = nil
      if let other = calls.take(partner) {
        other.replica?.outstanding -= 1
        takeBack(other)
      }
    }
    return call
  }

  /// Takes out the call that a reply answers.
  func take(_ correlation: Correlation, repliedBy replica: Replica, _ code: Int?, _ now: UInt64) -> PendingCall? {
    guard let call = take(correlation) else { return nil }
    if code == ErrorCode.internalError.rawValue { noteFailure(of: replica) } else { replica.health.succeeded() }
    budget.earn()
    (call.request.profile ?? profile).record(nanoseconds: now > call.sentAt ? now - call.sentAt : 0)
    return call
  }

  /// Tells the server of an attempt that nobody waits for it any more.
  func takeBack(_ call: PendingCall) {
    guard let socket = call.replica?.socket(of: call.connection) else { return }
    var body: [UInt8] = []
    body.append(#"{"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":""#)
    body.append(contentsOf: call.correlation.hexadecimal.utf8)
    body.append(#""}}"#)
    // Refused only when the connection is lost, and the call with it.
    _ = try? socket.send(body)
  }

  /// A server would not begin a call: it is starting, shutting down, closed or overloaded, or the attempt had expired there.
  func refused(_ call: PendingCall, by replica: Replica, _ body: [UInt8], _ metadata: ReplyMetadata) {
    let history = call.history ?? CallHistory()
    let isAway = metadata.errorCode == ErrorCode.unavailable.rawValue
    let isClosed = metadata.errorCode == ErrorCode.failedPrecondition.rawValue
    if isAway {
      replica.isRefusing = true
      rotationChanged()
    }
    // Nothing was done and nothing is wrong: it goes elsewhere, or waits for the server to open, or for its successor. Who
    // is closed may be so for long, and is not waited for.
    if isAway || (isClosed && rotation.contains { !$0.isDraining }), history.transfers < 8 {
      history.transfers += 1
      return again(call, history, avoiding: replica, after: 0)
    }
    if !isAway, !isClosed, rotation.contains(where: { $0 !== replica }), history.repeats < policy.retry.limit,
      budget.spend()
    {
      return repeated(call, history, avoiding: replica, isHurried: false)
    }
    if history.mayHaveRun, !body.isEmpty {
      let refusal: RPCError? = body.withUnsafeBytes {
        if case .error(_, let error) = Response.parse($0) { error } else { nil }
      }
      if let refusal { return fail(call, refusal) }
    }
    call.completion(.reply(body: body, metadata: metadata))
  }

  /// A server said that it, or what it needs, is away.
  /// - Returns: false when the answer is the call's.
  func triesAgain(_ call: PendingCall, _ replica: Replica, _ metadata: ReplyMetadata) -> Bool {
    let history = call.history ?? CallHistory()
    guard metadata.errorCode == ErrorCode.unavailable.rawValue, call.request.isIdempotent,
      history.repeats < policy.retry.limit, call.request.deadline.remainingMilliseconds > policy.retry.longestBackoff,
      budget.spend()
    else { return false }
    history.mayHaveRun = true
    repeated(call, history, avoiding: replica, isHurried: false)
    return true
  }

  /// A replica's connection is gone, and there is no other yet.
  func lost(_ replica: Replica) {
    noteFailure(of: replica)
    if replica.isRemoved { drop(replica) }
    rotationChanged()
    resolver?.resolveSoon()
  }

  /// A connection is closed, and what was sent on it is not answered.
  func closed(_ connection: Int, of replica: Replica) {
    for call in calls.takeAll(sentOn: connection) {
      replica.outstanding -= 1
      let error = RPCError.unavailable("the connection was lost", reason: "connectionLost", processed: .unknown)
      attemptFailed(call, error)
    }
  }

  /// A replica's connection stands.
  func connected(_ replica: Replica) {
    rotationChanged()
    if replicas.count > 1 { ask(replica) }
  }

  /// An attempt that was sent got no reply. Out of `calls` already.
  private func attemptFailed(_ call: PendingCall, _ error: RPCError) {
    let history = call.history ?? CallHistory()
    history.mayHaveRun = true
    // The one made beside it goes on alone.
    if let partner = history.partner, let other = calls[partner] {
      history.partner = nil
      if other.isLate { calls.update(partner) { $0.attemptEnds = MonotonicClock.milliseconds() } }
      return
    }
    guard mayRepeat(call, history, isFailover: true) else { return fail(call, error) }
    repeated(call, history, avoiding: call.replica, isHurried: false)
  }

  /// Whether a call may be sent again that may have been carried out; pays for it.
  private func mayRepeat(_ call: PendingCall, _ history: CallHistory, isFailover: Bool) -> Bool {
    call.request.isIdempotent && history.mayRepeat(policy.retry) && !call.request.deadline.isPast
      && budget.covers(isFailover: isFailover, &history.wasFree)
  }

  private func repeated(
    _ call: PendingCall, _ history: CallHistory, avoiding replica: Replica?, isHurried: Bool
  ) {
    history.repeats += 1
    metrics.retries.increment()
    let wait = isHurried ? 0 : policy.retry.wait(before: history.repeats, random: balancer.next())
    again(call, history, avoiding: replica, after: wait)
  }

  /// Back among those that wait, for `milliseconds` at least.
  private func again(
    _ call: PendingCall, _ history: CallHistory, avoiding replica: Replica?, after milliseconds: Int
  ) {
    if let replica { history.avoids.append(replica) }
    var call = call
    call.history = history
    let correlation = calls.add(again: call)
    if milliseconds > 0 {
      let resumes = MonotonicClock.milliseconds() + Int64(milliseconds)
      calls.update(correlation) { $0.attemptEnds = resumes }
    } else {
      queue.append(correlation)
    }
  }

  /// What was sent before may have taken effect, whatever became of the last attempt.
  private func fail(_ call: PendingCall, _ error: RPCError) {
    var error = error
    if error.processed == .no, call.history?.mayHaveRun == true { error.processed = .unknown }
    call.completion(.failed(error))
  }

  // MARK: Times

  func attendTimers(_ now: Int64) {
    guard let next = calls.nextTime, next <= now else { return }
    for correlation in calls.due(now) {
      guard let call = calls[correlation] else { continue }
      if call.deadline <= now {
        expired(correlation, now)
      } else if !call.isSent {
        // Its wait before the repeat is over, unless it waits in the queue for a connection.
        let isQueued = call.attemptEnds == .max
        calls.update(correlation) { $0.attemptEnds = .max }
        if !isQueued { queue.append(correlation) }
      } else if call.hedgesAt <= now {
        calls.update(correlation) { $0.hedgesAt = .max }
        hedge(correlation, call)
      } else if call.attemptEnds <= now {
        attemptTookTooLong(correlation, call)
      } else {
        calls.update(correlation) { _ in }
      }
    }
    tidyQueue()
  }

  private func expired(_ correlation: Correlation, _ now: Int64) {
    guard let call = take(correlation) else { return }
    // A caller in a hurry is no proof against the replica.
    if let replica = call.replica, now - Int64(call.sentAt / 1_000_000) >= Int64(policy.retry.shortestAttempt) {
      noteFailure(of: replica)
    }
    let error: RPCError =
      call.isSent || call.history?.mayHaveRun == true
      ? .deadlineExceeded("no reply within the deadline", processed: .unknown)
      : .unavailable("not connected within the deadline", reason: "notConnected")
    fail(call, error)
  }

  /// Another replica is asked, and this one told to leave it. While no other answers, without a token, or while the attempt
  /// made beside it has time left, it is waited for, and looked at again by and by.
  private func attemptTookTooLong(_ correlation: Correlation, _ call: PendingCall) {
    let now = MonotonicClock.nanoseconds()
    let patience = call.patience ?? max(1, Int64((now - call.sentAt) / 1_000_000))
    let ended = Int64(now / 1_000_000)
    calls.update(correlation) { call in
      call.patience = patience
      call.attemptEnds = ended + Int64(policy.retry.shortestAttempt)
    }
    guard let replica = call.replica else { return }
    if call.request.profile?.waits == true, !isAtFault(replica, ended) { return }
    if !call.isLate {
      (call.request.profile ?? profile).record(nanoseconds: now - call.sentAt)
      noteFailure(of: replica)
    }
    let partner = call.history?.partner.flatMap { calls[$0] }
    if let partner, !partner.isLate { return }
    // For half of the attempt, since what was under way when a replica fell silent was sent before that was last heard.
    let isSilent = { (replica: Replica) in replica.health.silence(now: ended) >= max(1, patience / 2) }
    let history = call.history ?? CallHistory()
    guard rotation.contains(where: { $0 !== replica && $0 !== partner?.replica && !isSilent($0) }),
      mayRepeat(call, history, isFailover: isSilent(replica)), let call = take(correlation)
    else { return }
    takeBack(call)
    history.mayHaveRun = true
    history.avoids += rotation.filter(isSilent)
    if let other = partner?.replica { history.avoids.append(other) }
    repeated(call, history, avoiding: replica, isHurried: true)
  }

  /// Whether a replica is at fault where a call waits, and not what does not happen: it is asked how it is, and says nothing
  /// for as long as the shortest attempt takes.
  private func isAtFault(_ replica: Replica, _ now: Int64) -> Bool {
    if replica.health.owesAnswer(now: now) >= Int64(policy.retry.shortestAttempt) { return true }
    if replica.health.isAskedNow(now: now) { ask(replica) }
    return false
  }

  /// A second attempt beside the first. Whichever is answered first wins.
  private func hedge(_ correlation: Correlation, _ call: PendingCall) {
    guard let first = call.replica,
      let other = rotation.filter({ $0 !== first }).min(by: { $0.outstanding < $1.outstanding }),
      let socket = other.socket, budget.spend()
    else { return }
    let history = CallHistory()
    history.isHedged = true
    history.partner = correlation
    var second = call
    second.history = history
    let twin = calls.add(again: second)
    guard send(twin, call.request, history, to: other, socket, MonotonicClock.nanoseconds()) else {
      _ = calls.take(twin)
      return
    }
    let own = CallHistory()
    own.isHedged = true
    own.partner = twin
    calls.update(correlation) { $0.history = own }
    metrics.hedges.increment()
  }

  // MARK: Health

  /// Out of rotation when it has failed too often, but never more than half of those that are ready.
  private func noteFailure(of replica: Replica) {
    let now = MonotonicClock.milliseconds()
    guard replica.health.failed(now: now) else { return }
    let ready = replicas.filter { $0.isReady || $0 === replica }
    let out = ready.filter { $0.health.isEjected(now: now) }.count
    guard (out + 1) * 2 <= ready.count else { return }
    replica.health.eject(now: now)
    metrics.ejections.increment()
    rotationChanged()
  }

  private static let question = Array(#"{"jsonrpc":"2.0","id":1,"method":"rpc.health"}"#.utf8)

  /// Asks a replica how it is. Any message from it is answer enough, so the call itself is forgotten.
  func ask(_ replica: Replica) {
    guard let socket = replica.socket else { return }
    let now = MonotonicClock.nanoseconds()
    let timeout = policy.outliers.probeTimeout
    let request = OutboundRequest(
      body: ReplicaPool.question, metadata: Array("{}".utf8),
      deadline: Deadline(uptimeNanoseconds: now + UInt64(timeout) * 1_000_000))
    let correlation = calls.add(request, CallToken(0)) { _ in }
    if !send(correlation, request, nil, to: replica, socket, now) { _ = calls.take(correlation) }
  }
}
