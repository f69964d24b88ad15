// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import Metrics
internal import RPC
internal import RPCZeroMQ

/// Takes messages from HTTP and ZeroMQ, judges their credentials, passes each call to the service that answers it and the
/// service's bytes back. Every call gets exactly one answer.
///
/// A small state machine on the socket thread: a call is an object with a state, what waits is a completion. On the way
/// through there is no task, no continuation and no decoding of params or results.
///
/// Unchecked Sendable: used on the socket thread only.
final class RPCProxy: @unchecked Sendable {
  private let thread: SocketThread
  private let authenticator: Authenticator
  private var routes: [String: Route] = [:]
  private let parser = MessageParser()
  /// For answers to calls whose message was parsed long ago.
  private let rereader = MessageParser()
  private let anonymous = Credential.anonymous()
  private var names = RequestNames()
  private let inFlight = Gauge()
  private let unknownMethods: Counter
  private let limit: Int
  private var newcomers: AddressLimit
  private var retries = RetryBudget()
  /// Once set, calls are refused with UNAVAILABLE.
  var isDraining = false

  /// - Parameters:
  ///   - limit: calls that may run at once.
  ///   - newcomers: calls of methods that anyone may write by, from one address at once; then ten a second.
  init(
    _ authenticator: Authenticator, on thread: SocketThread, _ metrics: MetricsRegistry, limit: Int, newcomers: Int
  ) {
    self.newcomers = AddressLimit(burst: newcomers, interval: 100)
    self.authenticator = authenticator
    self.thread = thread
    self.limit = limit
    unknownMethods = metrics.counter("assent_gateway_unknown_methods_total", "Calls of methods that do not exist")
    metrics.reading("assent_gateway_in_flight", "Calls running now") { [inFlight] in Double(inFlight.value) }
  }

  /// - Precondition: no route of that method was added.
  func add(_ route: Route) {
    precondition(routes.updateValue(route, forKey: route.descriptor.name) == nil, "\(route.descriptor.name) twice")
  }

  var allRoutes: [Route] { Array(routes.values) }
  var callsInFlight: Int { inFlight.value }

  // MARK: Receipt

  /// Takes a message.
  /// - Parameters:
  ///   - reply: called exactly once on the socket thread, unless the message is abandoned first.
  ///   - ids: told of each call with an id, for `rpc.cancel`.
  /// - Returns: the message while it is not answered yet.
  func receive(
    _ body: [UInt8], _ arrival: Arrival, ids: ((RequestID, Call) -> Void)? = nil, reply: @escaping (Answer) -> Void
  ) -> Message? {
    body.withUnsafeBytes { bytes in
      switch parser.parse(bytes) {
      case .refused(let error):
        reply(Answer(body: Response.error(nil, error), errorCode: error.code.rawValue))
        return nil
      case .single(let request):
        let message = Message(arrival, isBatch: false, reply: reply)
        guard let call = call(request, 0, message, arrival, whole: body) else { return nil }
        message.add(call)
        if let ids, let id = parser.id(request) { ids(id, call) }
        judge(call, request, arrival)
        return message.isAnswered ? nil : message
      case .batch(let requests):
        let message = Message(arrival, isBatch: true, reply: reply)
        message.expect(requests.count)
        // Nothing starts before every member was read: the parser's state is the message's.
        message.isPumping = true
        for (index, request) in requests.enumerated() {
          guard let call = call(request, index, message, arrival, whole: nil) else { continue }
          message.add(call)
          if let ids, let id = parser.id(request) { ids(id, call) }
          judge(call, request, arrival)
        }
        message.isPumping = false
        pump(message)
        return message.isAnswered ? nil : message
      }
    }
  }

  /// Reads one request; one that is no good is answered here.
  private func call(
    _ request: ParsedRequest, _ index: Int, _ message: Message, _ arrival: Arrival, whole: [UInt8]?
  ) -> Call? {
    do throws(RPCError) {
      if let problem = request.problem { throw problem }
      let name = parser.methodName(request)
      guard let route = routes[name] else {
        unknownMethods.increment()
        throw RPCError(
          .methodNotFound, "no such method; rpc.discover lists those there are", reason: "methodNotFound")
      }
      if let problem = arrival.problem { throw problem }
      if route.isOpenWrite { try limitNewcomers(arrival) }
      let hasMeta = parser.hasMeta(request)
      let meta = hasMeta ? try parser.meta(request) : nil
      try check(meta)
      let body = hasMeta ? parser.bodyWithoutMeta(request) : whole ?? Array(parser.bytes(of: request))
      var localWork: ((Call) -> Void)?
      if case .local(let prepare) = route.target { localWork = prepared(prepare, request) }
      let subject =
        message.isBatch ? (try? JSON.decode(NamedSubject.self, from: parser.bytes(of: request)).text) ?? "" : nil
      let call = Call(
        message, index: index, route: route, isNotification: request.isNotification, body: body, meta: meta,
        localWork: localWork, namedSubject: subject)
      if let key = call.idempotencyKey, key.isEmpty || key.utf8.count > 128 {
        throw .invalidParams("idempotencyKey", "must be 1 to 128 bytes")
      }
      return call
    } catch {
      // What is no valid request is answered even without an id (JSON-RPC 2.0, section 5).
      let isSilent = request.isNotification && request.problem == nil
      let body = isSilent ? [] : Response.error(request.isNotification ? nil : parser.id(request), error)
      if message.isBatch {
        message.settle(index, body)
      } else {
        message.answer(Answer(body: body, errorCode: error.code.rawValue, retryAfterMs: error.retryAfterMs))
      }
      return nil
    }
  }

  private func limitNewcomers(_ arrival: Arrival) throws(RPCError) {
    let address = arrival.address()
    let now = MonotonicClock.milliseconds()
    if let wait = newcomers.wait(address, now: now) {
      throw .resourceExhausted("too many calls from this address", reason: "addressLimit", retryAfterMs: wait)
    }
    newcomers.count(address, now: now)
  }

  /// Params that are no good are told after the caller's rights were checked, as services do.
  private func prepared(
    _ prepare: (MessageParser, ParsedRequest) throws(RPCError) -> (Call) -> Void, _ request: ParsedRequest
  ) -> (Call) -> Void {
    do throws(RPCError) {
      return try prepare(parser, request)
    } catch {
      return { [unowned self] call in settle(call, error) }
    }
  }

  private func check(_ meta: RequestMeta?) throws(RPCError) {
    if let timeout = meta?.timeoutMs, timeout < 1 {
      throw .invalidParams("_meta.timeoutMs", "\(timeout) is not in 1...\(Deadline.longestMilliseconds)")
    }
    if let locale = meta?.locale, !MetadataBytes.isLocale(locale) {
      throw .invalidParams("_meta.locale", "must be a language tag, such as de-AT")
    }
  }

  // MARK: Who calls

  private func judge(_ call: Call, _ request: ParsedRequest, _ arrival: Arrival) {
    inFlight.add(1)
    call.route.inFlight.add(1)
    call.requestId = names.next()
    // Errors in `_meta` were thrown before.
    if parser.hasMeta(request), let token = (try? parser.meta(request))?.token {
      var token = token
      token.withUTF8 { judge(call, UnsafeRawBufferPointer($0), arrival.address) }
    } else if let credential = arrival.credential {
      judge(call, credential, arrival.address)
    } else {
      judged(call, .good(anonymous))
    }
  }

  private func judge(_ call: Call, _ credential: UnsafeRawBufferPointer, _ address: () -> String) {
    let outcome = authenticator.judge(credential, from: address) { self.judged(call, $0) }
    if let outcome { judged(call, outcome) }
  }

  private func judged(_ call: Call, _ outcome: Authenticator.Outcome) {
    switch outcome {
    case .refused(let error): settle(call, error)
    case .good(let credential):
      call.credential = credential
      let access = call.route.descriptor.access
      guard access.admits(credential.principal) else {
        return settle(call, RPCProxy.refusal(of: call.route.descriptor, to: credential.principal))
      }
      call.state = .ready
      guard call.message.isBatch else { return start(call) }
      call.subject = RPCProxy.subject(of: call)
      pump(call.message)
    }
  }

  private static func refusal(of method: MethodDescriptor, to principal: Principal) -> RPCError {
    principal.kind == .anonymous
      ? .unauthenticated("\(method.name) needs a credential: \(method.access.description)")
      : .permissionDenied("\(method.name) is for \(method.access.description)")
  }

  private static func subject(of call: Call) -> String? {
    let principal = call.credential.principal
    switch principal.kind {
    case .anonymous: return nil
    case .user: return "a:\(principal.accountId ?? "")"
    case .device: return "d:\(principal.deviceId ?? "")"
    case .key, .service: return call.namedSubject
    }
  }

  // MARK: Passing on

  /// Starts the members of a batch whose turn has come.
  private func pump(_ message: Message) {
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

  private func start(_ call: Call) {
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
    case .service(let transport):
      send(call, to: transport, call.body) { [self] reply in
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

  /// Sends a request to a service on behalf of `call`'s caller, within its deadline. When the connection is lost the
  /// request is sent again: reads change nothing, and every write has an idempotency key.
  /// - Parameters:
  ///   - locale: in place of the call's own.
  ///   - deadline: in place of the call's own.
  ///   - completion: called once on the socket thread, unless the call is done by then.
  func send(
    _ call: Call, to transport: any ClientTransport, _ body: [UInt8], locale: String? = nil, deadline: Deadline? = nil,
    completion: @escaping (InboundReply) -> Void
  ) {
    let deadline = deadline ?? call.deadline
    send(call, to: transport, body, locale: locale ?? call.locale, deadline: deadline, attempt: 1, completion)
  }

  private func send(
    _ call: Call, to transport: any ClientTransport, _ body: [UInt8], locale: String?, deadline: Deadline, attempt: Int,
    _ completion: @escaping (InboundReply) -> Void
  ) {
    var key: String?
    if call.route.isWrite { key = call.idempotencyKey ?? names.idempotencyKey(call.requestId) }
    let metadata = MetadataBytes.of(call, locale: locale, idempotencyKey: key, attempt: attempt, names)
    nonisolated(unsafe) let completion = completion  // Called on the socket thread only.
    let token = transport.send(OutboundRequest(body: body, metadata: metadata, deadline: deadline)) { [self] reply in
      thread.onThread { [self] in
        guard call.state != .done else { return }
        if case .failed(let error) = reply, mayRepeat(call, error, attempt) {
          send(call, to: transport, body, locale: locale, deadline: deadline, attempt: attempt + 1, completion)
        } else {
          retries.earn()
          completion(reply)
        }
      }
    }
    if call.state != .done { call.upstream.append((transport, token)) }
  }

  /// At most three attempts. Methods that anyone may write by are left to their callers: they do not all know a repeat.
  private func mayRepeat(_ call: Call, _ error: RPCError, _ attempt: Int) -> Bool {
    error.reason == "connectionLost" && attempt < 3 && !call.isCancelled && !call.route.isOpenWrite && retries.spend()
  }

  // MARK: Answers

  /// The one answer to a call: an error of the gateway's own.
  func settle(_ call: Call, _ error: RPCError) {
    guard call.state != .done else { return }
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

  private func finish(_ call: Call, _ body: [UInt8], code: Int?, retryAfterMs: Int?) {
    guard call.state != .done else { return }
    call.state = .done
    call.upstream = []
    inFlight.add(-1)
    call.route.inFlight.add(-1)
    call.route.calls.increment()
    if code != nil { call.route.errors.increment() }
    call.route.latency.record(nanoseconds: MonotonicClock.nanoseconds() - call.began)
    call.whenDone?()
    let message = call.message
    guard message.isBatch else {
      return message.answer(Answer(body: body, errorCode: code, retryAfterMs: retryAfterMs))
    }
    message.settle(call.index, message.fits(body.count) ? body : tooLarge(call))
    pump(message)
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
    if call.state == .judging || call.state == .ready {
      settle(call, .cancelled("cancelled by the caller", processed: .no))
    }
  }
}
