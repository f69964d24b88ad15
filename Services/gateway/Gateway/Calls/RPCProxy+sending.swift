// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import Metrics
internal import RPC
internal import RPCZeroMQ

/// On to the services.
extension RPCProxy {
  /// Starts the members of a batch whose turn has come.
  func pump(_ message: Message) {
    guard !message.isPumping, !message.isAbandoned else { return }
    message.isPumping = true
    var started = true
    while started {
      started = false
      for (position, call) in message.calls.enumerated() where call.state == .ready {
        let members = message.calls.map {
          BatchOrder.Member(
            isUndecided: $0.state == .judging, isFinished: $0.state == .done, isWrite: $0.route.isWrite,
            subject: $0.subject)
        }
        guard position < members.count, BatchOrder.mayStart(position, of: members) else { continue }
        start(call)
        started = true
      }
    }
    message.isPumping = false
  }

  func start(_ call: Call) {
    if call.isCancelled { return settle(call, .cancelled("cancelled by the caller", processed: .no)) }
    if isDraining, !call.route.descriptor.name.hasPrefix("rpc.") {
      return settle(call, .unavailable("shutting down", reason: "draining", retryAfterMs: 0))
    }
    guard inFlight.value <= limit else {
      return settle(call, .resourceExhausted("too many calls at once", reason: "inFlight", retryAfterMs: 100))
    }
    guard !call.deadline.isPast else {
      return settle(call, .deadlineExceeded("the deadline passed before the call was made", processed: .no))
    }
    call.state = .running
    switch call.route.target {
    case .local: call.localWork!(call)
    case .service(let service):
      send(call, to: service, call.body) { [self] reply in
        switch reply {
        case .reply(let body, let metadata):
          if body.isEmpty, !call.isNotification {
            return settle(call, .internalError("the service gave no answer"))
          }
          finish(
            call, body, code: metadata.errorCode, retryAfterMs: metadata.retryAfterMs ?? wait(metadata.errorCode, body))
        case .failed(let error): settle(call, error)
        }
      }
    }
  }

  /// How long a service that is overloaded or away asks to wait, read from its answer: HTTP says it in a header.
  private func wait(_ code: Int?, _ body: [UInt8]) -> Int? {
    guard let code, code == ErrorCode.resourceExhausted.rawValue || code == ErrorCode.unavailable.rawValue else {
      return nil
    }
    return body.withUnsafeBytes {
      guard case .error(_, let error) = Response.parse($0) else { return nil }
      return error.retryAfterMs
    }
  }

  /// Sends a request to a service on behalf of `call`'s caller, within its deadline. The transport may send it again: reads
  /// change nothing, and every write has an idempotency key. Methods that anyone may write by are left to their callers:
  /// they do not all know a repeat. Until it is answered it counts among what its caller and its address have of the service.
  /// - Parameters:
  ///   - locale: in place of the call's own.
  ///   - deadline: in place of the call's own.
  ///   - completion: called once on the socket thread, unless the call is done by then.
  func send(
    _ call: Call, to service: Upstream, _ body: [UInt8], locale: String? = nil, deadline: Deadline? = nil,
    completion: @escaping (InboundReply) -> Void
  ) {
    let (caller, address) = (callers.usage(of: call.credential), call.message.source)
    if let refusal = service.refusal(caller: caller, address: address) {
      call.message.refusals += 1
      return completion(.failed(refusal))
    }
    let route = call.route
    var key: String?
    if route.isWrite {
      key = call.idempotencyKey ?? names.idempotencyKey(call.isNamedByClient ? names.next() : call.requestId)
    }
    let metadata = MetadataBytes.of(call, locale: locale ?? call.locale, idempotencyKey: key)
    caller.hold(service.index)
    address.hold(service.index)
    nonisolated(unsafe) let answered = { (reply: InboundReply) in  // Called on the socket thread only.
      caller.letGo(service.index)
      address.letGo(service.index)
      if call.state != .done { completion(reply) }
    }
    let request = OutboundRequest(
      body: body, metadata: metadata, deadline: deadline ?? call.deadline, isIdempotent: !route.isOpenWrite,
      profile: route.profile)
    let token = service.transport.send(request) { [thread] reply in
      thread.onThread { answered(reply) }
    }
    if call.state != .done { call.upstream.append((service.transport, token)) }
  }
}
