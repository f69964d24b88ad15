// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
public import Metrics
internal import Synchronization
internal import Threading
public import Tracing

/// Answers a server's messages: finds the method, checks the caller, decodes, runs, replies. Every request gets exactly
/// one answer.
///
/// Handlers begin on the transport's thread and stay on it until they really wait for something, so a read answered from
/// memory or from the store costs no hand-over, and one whose answer is known (`MethodRouter.on(_:known:else:)`) no task
/// either. After a wait they go on where the transport's executor says.
public final class Dispatcher: MessageHandler {
  public struct Limits: Sendable {
    /// Calls that may run at once, of all clients together; one more is answered RESOURCE_EXHAUSTED. Of those that wait
    /// for something one connection may have as many as there are places free (`FairShare`).
    public var inFlight = 2048
    /// Bytes of one reply; a longer one is answered RESOURCE_EXHAUSTED. What was done stays done.
    public var replyBytes = 4 << 20
    /// Bytes that a batch's members may add up to in the reply.
    public var batchReplyBytes = 4 << 20
    public init() {}
  }

  private let methods: [String: MethodEntry]
  private let interceptors: [any ServerInterceptor]
  private let limits: Limits
  private let health: Health
  private let executor: (any TaskExecutor)?
  private let onTurnEnded: @Sendable () -> Void
  private let onFailure: OnFailure
  let instance: String
  private let startedAt = MonotonicClock.milliseconds()
  private let inFlight = Gauge()
  let requestNumber = Counter()
  let active = ActiveCalls()
  private let share = FairShare()
  private let metrics: MetricsRegistry?
  /// Of what names no method.
  private let others: CallDurations
  // Used by `receive` only, which the transport calls on its one thread.
  nonisolated(unsafe) let parser = MessageParser()
  nonisolated(unsafe) var traceIDs = TraceIDs()
  let tracer: (any Tracer)?

  public typealias OnFailure = @Sendable (_ method: String, CallContext, any Error) -> Void

  /// - Parameters:
  ///   - router: the methods; `rpc.health`, `rpc.stats`, `rpc.cancel` and `rpc.discover` are added where they are missing.
  ///   - title: the OpenRPC document's title.
  ///   - executor: where handlers go on after a wait; nil: on Swift's own threads.
  ///   - tracer: gets the spans that are sampled; nil: none is recorded.
  ///   - onTurnEnded: called on the transport's thread when a wake's messages have been handed over.
  ///   - onFailure: told of every call that is answered with an error. One that is no `RPCError` is a fault of ours, which
  ///     callers see as INTERNAL.
  public init(
    _ router: MethodRouter, title: String, interceptors: [any ServerInterceptor] = [], limits: Limits = Limits(),
    health: Health = Health(), metrics: MetricsRegistry? = nil, tracer: (any Tracer)? = nil,
    executor: (any TaskExecutor)? = nil,
    onTurnEnded: @escaping @Sendable () -> Void = {},
    onFailure: @escaping OnFailure = { _, _, _ in }
  ) {
    let instance = String(UInt64.random(in: .min ... .max), radix: 16)
    let view = RuntimeView()
    var router = router
    RuntimeView.register(view, on: &router, title: title, health: health)
    methods = router.methods.mapValues { MethodEntry($0, metrics: metrics) }
    self.interceptors = interceptors
    self.limits = limits
    self.health = health
    self.executor = executor
    self.onTurnEnded = onTurnEnded
    self.onFailure = onFailure
    self.instance = instance
    self.tracer = tracer
    self.metrics = metrics
    others = RPCMetrics.durations(of: RPCMetrics.otherMethod, in: metrics)
    view.attach(self)
  }

  public func turnEnded() { onTurnEnded() }

  /// Calls running now.
  public var callsInFlight: Int { inFlight.value }

  public func receive(_ message: InboundMessage, reply: @escaping @Sendable (OutboundReply) -> Void) {
    let now = MonotonicClock.nanoseconds()
    if let error = message.metadataError {
      count(error, of: others, since: now)
      return reply(self.reply(Response.error(nil, error), error.code, now))
    }
    switch parser.parse(message.body) {
    case .refused(let error):
      count(error, of: others, since: now)
      reply(self.reply(Response.error(nil, error), error.code, now))
    case .single(let request):
      start(request, of: message, now, keySuffix: nil, .single(reply))
    case .batch(let requests):
      let gathered = BatchReply(count: requests.count, byteLimit: limits.batchReplyBytes) { body, code in
        reply(self.reply(body, code, MonotonicClock.nanoseconds(), isRefused: code != nil))
      }
      for (index, request) in requests.enumerated() {
        start(request, of: message, now, keySuffix: index, .member(gathered, index))
      }
    }
  }

  /// One request from its bytes to `answer`, which is given exactly one response object, or no bytes for a notification.
  private func start(
    _ request: ParsedRequest, of message: InboundMessage, _ now: UInt64, keySuffix: Int?, _ answer: Answer
  ) {
    let id = request.isNotification ? nil : parser.id(request)
    func refuse(_ error: RPCError, _ durations: CallDurations, byServer: Bool = false) {
      count(error, of: durations, since: now)
      var error = error
      error.requestId = error.requestId ?? message.metadata.requestId
      // What is no valid request is never a notification, so it is answered (section 5 of the specification).
      give(
        answer, request.isNotification ? [] : Response.error(id, error), error.code, now,
        isRefused: byServer || error.isRefusal)
    }
    if let problem = request.problem { return refuse(problem, others) }
    guard let entry = methods[parser.methodName(request)] else {
      return refuse(RPCError(.methodNotFound, "no such method", reason: "methodNotFound"), others)
    }
    let call: RunningCall
    var known: CallContext?
    // It takes no calls at all, whatever they are; another replica may.
    var isRefusing = false
    do throws(RPCError) {
      let context = try self.context(request, of: message, now, keySuffix: keySuffix)
      known = context
      if !entry.access.anyone, !entry.access.admits(context.principal) {
        throw Self.refusal(of: entry.method.descriptor, to: context.principal)
      }
      let free = limits.inFlight - inFlight.value
      guard share.admits(message.connection, free: free) else {
        throw free > 0
          ? .resourceExhausted("too many calls at once on this connection", reason: "fairShare", retryAfterMs: 100)
          : .resourceExhausted("too many calls at once", reason: "inFlight", retryAfterMs: 100)
      }
      isRefusing = health.isRefusing && !entry.method.descriptor.name.hasPrefix("rpc.")
      if isRefusing { throw health.refusal }
      switch try entry.method.prepare(parser, request, interceptors.isEmpty ? context : nil) {
      case .result(let result):
        let body = id.map { Response.result($0, result) } ?? []
        guard body.count <= limits.replyBytes else { throw Self.tooLarge }
        let end = MonotonicClock.nanoseconds()
        entry.durations.succeeded.record(nanoseconds: end - now)
        if context.trace.isSampled { record(entry, context, nil, now, end) }
        return give(answer, body, nil, end)
      case .call(let work):
        call = RunningCall(
          self, entry, work, context, id: id, began: now, connection: message.connection, answer: answer)
      }
    } catch {
      if let known { onFailure(entry.method.descriptor.name, known, error) }
      return refuse(error, entry.durations, byServer: isRefusing)
    }
    if entry.isCancel {
      do throws(RPCError) {
        let body = try cancel(request, of: message)
        entry.durations.succeeded.record(nanoseconds: 0)
        return give(answer, id.map { Response.result($0, body) } ?? [], nil, now)
      } catch {
        return refuse(error, entry.durations)
      }
    }
    inFlight.add(1)
    entry.inFlight.add(1)
    let task = Task.immediateDetached(executorPreference: executor) { await call.dispatcher.run(call) }
    // Most have ended by now, on this thread.
    guard !call.hasEnded.load(ordering: .acquiring) else { return }
    call.takePlace(in: share)
    if let key = key(of: message, id) { active.add(call, key, task) }
  }

  private nonisolated(nonsending) func run(_ call: RunningCall) async {
    var code: ErrorCode?
    var body: [UInt8] = []
    do {
      let result: [UInt8]
      if let first = interceptors.first {
        result = try await Self.chain(
          first, interceptors.dropFirst(), call.entry.method.descriptor, call.context, call.work)
      } else {
        result = try await call.work(call.context)
      }
      if let id = call.id { body = Response.result(id, result) }
      if body.count > limits.replyBytes { throw Self.tooLarge }
    } catch {
      (body, code) = refusal(of: call, error)
    }
    let now = MonotonicClock.nanoseconds()
    inFlight.add(-1)
    call.entry.inFlight.add(-1)
    let durations = call.entry.durations
    if let code {
      durations.recordFailure(code.rawValue, nanoseconds: now - call.began)
    } else {
      durations.succeeded.record(nanoseconds: now - call.began)
    }
    if call.context.trace.isSampled { record(call.entry, call.context, code, call.began, now) }
    call.leavePlace(in: share)
    active.end(call)
    give(call.answer, body, code, now)
  }

  @inline(never)
  private func record(
    _ entry: MethodEntry, _ context: CallContext, _ code: ErrorCode?, _ began: UInt64, _ now: UInt64
  ) {
    tracer?.record(
      Span(
        context.trace, name: entry.method.descriptor.name, began: began, ended: now,
        error: code.map { ($0.rawValue, $0.status) }, requestId: context.requestId))
  }

  /// A call that was refused before it began.
  @inline(never)
  private func count(_ error: RPCError, of durations: CallDurations, since began: UInt64) {
    durations.recordFailure(error.code.rawValue, nanoseconds: MonotonicClock.nanoseconds() - began)
  }

  /// Apart from `run`, whose frame would have to hold an `RPCError` for every call.
  @inline(never)
  private func refusal(of call: RunningCall, _ error: any Error) -> ([UInt8], ErrorCode) {
    let refusal = rpcError(error, call.entry, call.context)
    return (call.id.map { Response.error($0, refusal) } ?? [], refusal.code)
  }

  private func give(
    _ answer: Answer, _ body: [UInt8], _ code: ErrorCode?, _ now: UInt64, isRefused: Bool = false
  ) {
    switch answer {
    case .single(let reply): reply(self.reply(body, code, now, isRefused: isRefused))
    case .member(let batch, let index): batch.set(index, body, refusedWith: isRefused ? code : nil)
    }
  }

  private static func chain(
    _ first: any ServerInterceptor, _ rest: ArraySlice<any ServerInterceptor>, _ method: MethodDescriptor,
    _ context: CallContext, _ work: @escaping @Sendable (CallContext) async throws -> [UInt8]
  ) async throws -> [UInt8] {
    try await first.intercept(method, context) { context in
      guard let next = rest.first else { return try await work(context) }
      return try await chain(next, rest.dropFirst(), method, context, work)
    }
  }

  private func rpcError(_ error: any Error, _ entry: MethodEntry, _ context: CallContext) -> RPCError {
    onFailure(entry.method.descriptor.name, context, error)
    var refusal: RPCError
    if let error = error as? RPCError {
      refusal = error
    } else if error is CancellationError {
      refusal = .cancelled("the caller cancelled", processed: .no)
    } else {
      refusal =
        (error as? any RPCErrorConvertible)?.rpcError
        ?? .internalError(processed: entry.method.descriptor.effect == .read ? .no : .unknown)
    }
    refusal.requestId = context.requestId
    return refusal
  }

  private func reply(_ body: [UInt8], _ code: ErrorCode?, _ now: UInt64, isRefused: Bool = false) -> OutboundReply {
    OutboundReply(
      body: body,
      metadata: ReplyMetadata(
        instance: instance, serverNow: Int64(now / 1_000_000), draining: health.turnsAway ? true : nil,
        errorCode: code?.rawValue, refused: isRefused ? true : nil))
  }

  /// The same call would have the same answer, so it is not to be repeated.
  private static let tooLarge = RPCError(
    .resourceExhausted, "the answer is too large: ask for less", reason: "replyTooLarge", retryable: false,
    processed: .yes)

  private static func refusal(of method: MethodDescriptor, to principal: Principal) -> RPCError {
    principal.kind == .anonymous
      ? .unauthenticated("\(method.name) needs a credential: \(method.access.description)")
      : .permissionDenied("\(method.name) is for \(method.access.description)")
  }
}

extension Dispatcher {
  var statistics: StatisticsResult {
    StatisticsResult(
      instance: instance, uptimeMs: MonotonicClock.milliseconds() - startedAt, inFlight: inFlight.value,
      methods: methods.values.map(\.statistics).sorted { $0.name < $1.name }, metrics: metrics?.values)
  }
}

extension RPCError {
  /// Of errors before a call has begun: whether another server, or this one later, may well take it.
  fileprivate var isRefusal: Bool { code == .unavailable || code == .resourceExhausted || code == .deadlineExceeded }
}
