// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CallLog
internal import JSONRPC
internal import Metrics
internal import RPC
internal import RPCZeroMQ
internal import Tracing

/// Takes messages from HTTP and ZeroMQ, judges their credentials, passes each call to the service that answers it and the
/// service's bytes back. Every call gets exactly one answer.
///
/// A small state machine on the socket thread: a call is an object with a state, what waits is a completion. On the way
/// through there is no task, no continuation and no decoding of params or results.
///
/// Unchecked Sendable: used on the socket thread only.
final class RPCProxy: @unchecked Sendable {
  let thread: SocketThread
  let authenticator: Authenticator
  private var routes: [String: Route] = [:]
  let parser = MessageParser()
  /// For answers to calls whose message was parsed long ago.
  let rereader = MessageParser()
  let anonymous = Credential.anonymous()
  let busOperator = Credential.bus(operator: "operator")
  var names = RequestNames()
  let tracer: (any Tracer)?
  let log: CallLog
  let inFlight = Gauge()
  let authMetrics: AuthMetrics
  /// Of what names no method, or is no call that can be read.
  private let others: CallDurations
  let limit: Int
  /// Bytes of requests that calls hold, and how many they may.
  var bytesInFlight = 0
  let byteLimit: Int
  let callers: CallerUsages
  private var newcomers: AddressLimit
  /// A member of the thread's loop.
  let held = HeldAnswers()
  let room: AnswerRoom
  /// Clients are told to go elsewhere.
  var announcesDraining = false
  /// Once set, calls are refused with UNAVAILABLE.
  var isDraining = false {
    didSet { if isDraining { held.close() } }
  }

  /// - Parameters:
  ///   - limit: calls that may run at once.
  ///   - limits: of each caller, and of the bytes that calls hold.
  ///   - log: of calls that fail.
  ///   - tracer: gets the spans that are sampled; nil: none is recorded.
  ///   - newcomers: calls of methods that anyone may write by, from one address at once; then ten a second.
  init(
    _ authenticator: Authenticator, on thread: SocketThread, _ metrics: MetricsRegistry, limit: Int, newcomers: Int,
    _ limits: CallLimits, _ log: CallLog, tracer: (any Tracer)?
  ) {
    self.tracer = tracer
    self.log = log
    self.newcomers = AddressLimit(burst: newcomers, interval: 100)
    self.authenticator = authenticator
    self.thread = thread
    self.limit = limit
    byteLimit = limits.bytes
    room = AnswerRoom(limit: limits.bytes)
    callers = CallerUsages(limits)
    authMetrics = AuthMetrics(metrics, authenticator)
    others = RPCMetrics.durations(of: RPCMetrics.otherMethod, in: metrics)
  }

  /// - Precondition: no route of that method was added.
  func add(_ route: Route) {
    precondition(routes.updateValue(route, forKey: route.descriptor.name) == nil, "\(route.descriptor.name) twice")
  }

  var allRoutes: [Route] { Array(routes.values) }
  var callsInFlight: Int { inFlight.value }

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
        let message = Message(arrival, isBatch: false, reply: reply)
        refuse(message, named(error, arrival))
        return message.isAnswered ? nil : message
      case .single(let request):
        let message = Message(arrival, isBatch: false, reply: reply)
        if let call = call(request, 0, message, arrival, whole: body) {
          message.add(call)
          if let ids, let id = parser.id(request) { ids(id, call) }
          judge(call, request, arrival)
        }
        return message.isAnswered ? nil : message
      case .batch(let requests):
        // Ids come back as they are, so what came is counted too.
        let least = body.count + requests.count * AnswerRoom.perMember
        guard let space = room.space(least, for: arrival.source) else {
          let message = Message(arrival, isBatch: false, reply: reply)
          refuse(message, named(RPCProxy.noRoom(processed: .no), arrival))
          return message.isAnswered ? nil : message
        }
        let message = Message(arrival, isBatch: true, space: space, reply: reply)
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

  /// Answers what came from `source` and cannot be taken.
  /// - Parameter reply: called once.
  func refuse(_ error: RPCError, to source: Usage, _ reply: @escaping (Answer) -> Void) {
    let arrival = Arrival(address: { "" }, source: source)
    refuse(Message(arrival, isBatch: false, reply: reply), named(error, arrival))
  }

  /// An error of what never became a call, with a name by which it can be reported.
  private func named(_ error: RPCError, _ arrival: Arrival) -> RPCError { named(error, arrival.requestId) }

  /// - Parameter name: the client's, if it gave one that is taken over.
  func named(_ error: RPCError, _ name: String?) -> RPCError {
    var error = error
    error.requestId = name ?? names.next()
    return error
  }

  private func refuse(_ message: Message, _ error: RPCError) {
    others.recordFailure(error.code.rawValue, nanoseconds: 0)
    message.refusals = 1
    answer(
      message,
      Answer(body: Response.error(nil, error), errorCode: error.code.rawValue, retryAfterMs: error.retryAfterMs))
  }

  /// Reads one request; one that is no good is answered here.
  private func call(
    _ request: ParsedRequest, _ index: Int, _ message: Message, _ arrival: Arrival, whole: [UInt8]?
  ) -> Call? {
    var durations = others
    do throws(RPCError) {
      if let problem = request.problem { throw problem }
      let name = parser.methodName(request)
      guard let route = routes[name] else {
        throw RPCError(
          .methodNotFound, "no such method; rpc.discover lists those there are", reason: "methodNotFound")
      }
      durations = route.durations
      if let problem = arrival.problem {
        if problem.code == .unauthenticated { authMetrics.count(problem) }
        throw problem
      }
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
        localWork: localWork, namedSubject: subject,
        trace: names.traces.span(
          for: meta?.traceparent.flatMap { TraceContext($0) } ?? message.trace, tracer?.sampler))
      if let key = call.idempotencyKey, key.isEmpty || key.utf8.count > 128 {
        throw .invalidParams("idempotencyKey", "must be 1 to 128 bytes")
      }
      return call
    } catch {
      durations.recordFailure(error.code.rawValue, nanoseconds: 0)
      // What is no valid request is answered even without an id (JSON-RPC 2.0, section 5).
      let isSilent = request.isNotification && request.problem == nil
      let id = request.isNotification ? nil : parser.id(request)
      let reply = Reply(isSilent ? [] : Response.error(id, named(error, arrival)))
      message.refusals += 1
      if message.isBatch {
        settle(message, index, reply)
      } else {
        answer(
          message,
          kept(
            reply, of: message, named: arrival.requestId, errorCode: error.code.rawValue,
            retryAfterMs: error.retryAfterMs, processed: .no, id))
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
      throw .invalidParams(
        "_meta.timeoutMs", "\(timeout) is less than 1; more than \(Deadline.longestMilliseconds) counts as that")
    }
    if let locale = meta?.locale, !MetadataBytes.isLocale(locale) {
      throw .invalidParams("_meta.locale", "must be a language tag, such as de-AT")
    }
  }
}
