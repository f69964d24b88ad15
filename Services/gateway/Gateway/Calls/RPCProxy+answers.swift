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

  func finish(_ call: Call, _ body: [UInt8], code: Int?, retryAfterMs: Int?) {
    guard call.state != .done else { return }
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
      return answer(message, Answer(body: body, errorCode: code, retryAfterMs: retryAfterMs))
    }
    settle(message, call.index, message.fits(body.count) ? body : tooLarge(call))
    pump(message)
  }

  /// Takes in the answer of a batch's member.
  func settle(_ message: Message, _ index: Int, _ body: [UInt8]) {
    if let whole = message.settle(index, body) { answer(message, whole) }
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

  /// In place of an answer that no longer fits into its batch's. What the call did is done.
  private func tooLarge(_ call: Call) -> [UInt8] {
    var error = RPCError.resourceExhausted(
      "the batch's answers are too large: send fewer calls", reason: "batchReplySize", processed: .yes)
    error.requestId = call.requestId
    return Response.error(id(of: call), error)
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
