// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CallLog
internal import JSONRPC
internal import Logging
internal import Metrics
internal import RPC
internal import Tracing

/// The one answer to each call.
extension RPCProxy {
  /// The one answer to a call: an error of the gateway's own.
  func settle(_ call: Call, _ error: RPCError) {
    guard call.state != .done else { return }
    if call.state != .running { call.message.refusals += 1 }
    var error = error
    error.requestId = error.requestId ?? call.requestId
    let body = call.isNotification ? [] : Response.error(id(of: call), error)
    finish(call, body, code: error.code.rawValue, retryAfterMs: error.retryAfterMs)
  }

  /// The one answer to a call: the result of the gateway's own work, as JSON.
  func settle(_ call: Call, result: [UInt8]) {
    guard call.state != .done else { return }
    let body = call.isNotification ? [] : Response.result(id(of: call) ?? .null, result)
    finish(call, body, code: nil, retryAfterMs: nil)
  }

  /// The one answer to a call: a result that many get, as JSON.
  func settle(_ call: Call, sharing result: [UInt8]) {
    guard call.state != .done else { return }
    finish(
      call, call.isNotification ? Reply([]) : Reply(id(of: call) ?? .null, sharing: result), code: nil,
      retryAfterMs: nil)
  }

  func finish(_ call: Call, _ body: [UInt8], code: Int?, retryAfterMs: Int?) {
    finish(call, Reply(body), code: code, retryAfterMs: retryAfterMs)
  }

  private func finish(_ call: Call, _ reply: Reply, code: Int?, retryAfterMs: Int?) {
    guard call.state != .done else { return }
    let processed: RPCError.Processed = call.state == .running ? .yes : .no
    call.state = .done
    call.upstream = []
    inFlight.add(-1)
    bytesInFlight -= call.byteCount
    if call.isInSource { call.message.source.leave() }
    if call.isInCaller { call.credential.usage?.leave() }
    call.route.inFlight.add(-1)
    let now = MonotonicClock.nanoseconds()
    let duration = now - call.began
    if let tracer, call.trace.isSampled { record(call, code, now, tracer) }
    if let code {
      note(call, ErrorCode(rawValue: code))
      call.route.durations.recordFailure(code, nanoseconds: duration)
    } else {
      call.route.durations.succeeded.record(nanoseconds: duration)
    }
    call.whenDone?()
    let message = call.message
    guard message.isBatch else {
      return answer(
        message,
        kept(
          reply, of: message, named: call.requestId, errorCode: code, retryAfterMs: retryAfterMs, processed: processed,
          id(of: call)))
    }
    settle(message, call.index, kept(reply, of: call, processed))
    pump(message)
  }

  /// Takes in the answer of a batch's member.
  func settle(_ message: Message, _ index: Int, _ reply: Reply) {
    if let whole = message.settle(index, reply) { answer(message, whole) }
  }

  /// What goes back for a message of one call: that there is no room for its answer, if there is none.
  func kept(
    _ reply: Reply, of message: Message, named name: String?, errorCode: Int?, retryAfterMs: Int?,
    processed: RPCError.Processed, _ id: @autoclosure () -> RequestID?
  ) -> Answer {
    let isKept = message.staysUntilRead && reply.count > AnswerRoom.small
    let space = isKept ? room.space(reply.count, for: message.source) : nil
    guard isKept, space == nil else {
      return Answer(body: reply.whole, errorCode: errorCode, retryAfterMs: retryAfterMs, space: space)
    }
    let error = named(RPCProxy.noRoom(processed: processed), name)
    // An id may be as long as a request.
    let id = id().flatMap { $0.bytes.count < AnswerRoom.perMember ? $0 : nil }
    return Answer(
      body: Response.error(id, error), errorCode: error.code.rawValue, retryAfterMs: error.retryAfterMs)
  }

  /// Of a batch's member: that there is no room for its answer, if there is none. What the call did is done.
  private func kept(_ reply: Reply, of call: Call, _ processed: RPCError.Processed) -> Reply {
    guard !reply.isEmpty else { return reply }
    var refusal: RPCError
    if !call.message.fits(reply.count) {
      refusal = .resourceExhausted(
        "the batch's answers are too large: send fewer calls", reason: "batchReplySize", processed: processed)
    } else if reply.count > AnswerRoom.perMember,
      call.message.space?.grow(by: reply.count - AnswerRoom.perMember) == false
    {
      refusal = RPCProxy.noRoom(processed: processed)
    } else {
      return reply
    }
    refusal.requestId = call.requestId
    return Reply(Response.error(id(of: call), refusal))
  }

  static func noRoom(processed: RPCError.Processed) -> RPCError {
    .resourceExhausted(
      "answers that have not been read take too much memory: read them, or make fewer calls at once",
      reason: "answerBytes", processed: processed, retryAfterMs: AnswerRoom.retryAfter)
  }

  /// Answers a message: later, if its address has had too many refusals.
  func answer(_ message: Message, _ answer: Answer) {
    guard message.refusals > 0 else { return message.answer(answer) }
    let now = MonotonicClock.nanoseconds()
    guard message.isHeldBack || message.source.holdsBack(message.refusals, at: now) else {
      return message.answer(answer)
    }
    held.hold(at: Int64(now / 1_000_000)) { message.answer(answer) }
  }

  /// Logs a call that failed. Of a service's answer it is not known why; the service's log says that.
  @inline(never)
  private func note(_ call: Call, _ code: ErrorCode) {
    let isFault = code == .internalError
    guard isFault || log.isVerbose else { return }
    // A key names in its params whom a call is about.
    var named: String?
    if call.credential?.principal.kind == .key { named = try? JSON.decode(NamedSubject.self, from: call.body).text }
    log.failed(
      isFault ? .warning : .debug, call.route.descriptor.name, status: code.status,
      principal: call.credential?.principal, named: named, requestId: call.requestId, trace: call.trace)
  }

  @inline(never)
  private func record(_ call: Call, _ code: Int?, _ now: UInt64, _ tracer: any Tracer) {
    tracer.record(
      Span(
        call.trace, name: call.route.descriptor.name, began: call.began, ended: now,
        error: code.map { ($0, ErrorCode(rawValue: $0).status) }, requestId: call.requestId))
  }

  /// Read again from the request's bytes: on the way through to a service nobody needs it.
  private func id(of call: Call) -> RequestID? {
    call.body.withUnsafeBytes {
      guard case .single(let request) = rereader.parse($0) else { return nil }
      return rereader.id(request)
    }
  }

  // MARK: Cancellation

  /// The client has gone: what it asked for is taken back, nothing is answered.
  func abandon(_ message: Message) {
    for call in message.abandon() { cancel(call) }
  }

  /// Takes a call back. It is still answered once: with CANCELLED, or with what came first.
  func cancel(_ call: Call) {
    guard call.state != .done, !call.isCancelled else { return }
    call.isCancelled = true
    let upstream = call.upstream
    for one in upstream { one.transport.cancel(one.token) }
    // A service's own verdict came by its completion; what the gateway does itself, or has not begun, ends here.
    settle(call, .cancelled("cancelled by the caller", processed: call.state == .running ? .unknown : .no))
  }
}
