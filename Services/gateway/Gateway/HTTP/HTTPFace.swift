// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import HTTPServer
internal import JSONRPC
internal import MetricsEndpoint
internal import RPC
internal import RPCZeroMQ
internal import ZeroMQ

/// The gateway over HTTP: `POST /rpc` for calls, and the pages that operators and browsers need.
///
/// Unchecked Sendable: used on the socket thread only.
final class HTTPFace: HTTPHandler, LoopMember, @unchecked Sendable {
  /// Bytes of a message's body.
  static let bodyLimit = 1 << 20

  private let proxy: RPCProxy
  private let authenticator: Authenticator
  private let pages: OperatorPages
  private let thread: SocketThread
  private let proxyHops: Int
  private let addresses: Usages
  private let metrics: HTTPMetrics
  private var server: HTTPServer!
  /// Messages that are not answered yet, by their requests' slots.
  private var waiting: [(id: HTTPRequestID, message: Message)?] = []
  /// Of answers that have not left, by their requests' slots.
  private var spaces: [(id: HTTPRequestID, space: AnswerSpace)?] = []

  /// - Parameter proxyHops: how many proxies in front are believed to say truly who their client is.
  /// - Throws: `HTTPServerError` when the address cannot be listened on.
  init(
    _ configuration: HTTPServerConfiguration, _ proxy: RPCProxy, _ authenticator: Authenticator, _ pages: OperatorPages,
    on thread: SocketThread, proxyHops: Int, _ addresses: Usages, _ metrics: HTTPMetrics
  ) throws(HTTPServerError) {
    self.proxy = proxy
    self.authenticator = authenticator
    self.pages = pages
    self.thread = thread
    self.proxyHops = proxyHops
    self.addresses = addresses
    self.metrics = metrics
    server = try HTTPServer(configuration, handler: self)
    proxy.room.whenFull = { [unowned self] in server.cutSlowReaders() }
  }

  var port: UInt16 { server.port }
  var openConnections: Int { server.openConnections }

  /// Each connection is closed with its next answer.
  func closesConnections() { server.closesConnections = true }

  /// No new connections. Those that the system has accepted already are taken.
  func stopAccepting() {
    server.turn()
    server.stopAccepting()
  }

  // MARK: LoopMember

  func pollItems() -> [PollItem] { server.descriptors.map { PollItem(descriptor: $0) } }
  func isReady(_ item: Int) { server.isReadable(item) }
  func nextTimeout() -> Int? { server.nextTimeout }
  func stop() {
    // What was answered in this lap still leaves.
    server.turn()
    server.stop()
  }
  func turn() -> Bool {
    server.turn()
    return false
  }

  // MARK: HTTPHandler

  func bodyLimit(for request: HTTPRequest) -> Int { HTTPFace.bodyLimit }

  func receive(_ request: HTTPRequest, body: [UInt8]) {
    let began = MonotonicClock.nanoseconds()
    let response: HTTPResponse
    switch (request.path, request.method) {
    case ("/rpc", .post): return call(request, body, began)
    case (_, .options): response = preflight(request)
    case ("/rpc", _): response = .notAllowed("POST, OPTIONS")
    default:
      response =
        pages.page(for: request)
        ?? .text(404, "no such page; there are POST /rpc, GET /health/live, GET /health/ready and GET /metrics")
    }
    show(response, for: request, began)
  }

  func answerEnded(_ id: HTTPRequestID) {
    if id.slot < spaces.count, spaces[id.slot]?.id == id { spaces[id.slot] = nil }
  }

  /// A page, if there is room for it.
  private func show(_ page: HTTPResponse, for request: HTTPRequest, _ began: UInt64) {
    var page = page
    if page.body.count > AnswerRoom.small {
      if let space = proxy.room.space(page.body.count, for: Arrival.source(request, proxyHops, addresses)) {
        keep(space, request.id)
      } else {
        page = .text(503, "answers that have not been read take too much memory")
        page.headers.append(HTTPStatus.retryAfter(AnswerRoom.retryAfter))
      }
    }
    metrics.count(request, page.status, since: began)
    if !server.respond(request.id, page) { answerEnded(request.id) }
  }

  private func keep(_ space: AnswerSpace, _ id: HTTPRequestID) {
    while spaces.count <= id.slot { spaces.append(nil) }
    spaces[id.slot] = (id, space)
  }

  func clientLeft(_ id: HTTPRequestID) {
    if let message = take(id) { proxy.abandon(message) }
  }

  func refuse(_ request: HTTPRequest, _ refusal: HTTPRefusal) -> HTTPResponse {
    metrics.count(request, refusal.status, since: MonotonicClock.nanoseconds())
    guard request.path == "/rpc" else { return .text(refusal.status, refusal.message) }
    var error = RPCError(.invalidRequest, refusal.message, reason: "badRequest")
    var headers = headers(for: request.header("Origin"))
    switch refusal {
    case .bodyTooLarge: error.reason = "bodyTooLarge"
    case .tooManyConnections:
      error = .resourceExhausted(refusal.message, reason: "addressConnections", retryAfterMs: 1_000)
    case .overloaded: error = .unavailable(refusal.message, reason: "memory", retryAfterMs: 1_000)
    case .ambiguous, .unknownTransferCoding: break
    }
    if let wait = error.retryAfterMs { headers.append(HTTPStatus.retryAfter(wait)) }
    return HTTPResponse(
      refusal.status, headers: headers, body: Response.error(nil, proxy.named(error, Arrival.requestId(request))))
  }

  // MARK: Calls

  private func call(_ request: HTTPRequest, _ body: [UInt8], _ began: UInt64) {
    let id = request.id
    let origin = request.header("Origin")
    guard ContentType.isJSON(request.headerBytes("Content-Type")) else {
      let error = RPCError(
        .invalidRequest, "Content-Type must be application/json or application/json-rpc, or be left out",
        reason: "contentType")
      metrics.countCall(415, since: began)
      server.respond(
        id, status: 415, headers: headers(for: origin),
        body: Response.error(nil, proxy.named(error, Arrival.requestId(request))))
      return
    }
    let message = proxy.receive(body, Arrival(request, proxyHops: proxyHops, addresses)) { [unowned self] answer in
      respond(id, answer, headers(for: origin, answer.app), began)
    }
    guard let message else { return }
    while waiting.count <= id.slot { waiting.append(nil) }
    waiting[id.slot] = (id, message)
  }

  private func respond(_ id: HTTPRequestID, _ answer: Answer, _ headers: [HTTPHeader], _ began: UInt64) {
    _ = take(id)
    let status = HTTPStatus.of(answer)
    metrics.countCall(status, since: began)
    if let space = answer.space { keep(space, id) }
    let isAwaited = server.respond(
      id, status: status, headers: HTTPStatus.headers(status, answer, headers), body: answer.body)
    if !isAwaited { answerEnded(id) }
    thread.giveTurn(to: self)
  }

  /// The message of a request, if it still waits; it does not any more.
  private func take(_ id: HTTPRequestID) -> Message? {
    guard id.slot < waiting.count, let entry = waiting[id.slot], entry.id == id else { return nil }
    waiting[id.slot] = nil
    return entry.message
  }

  // MARK: CORS

  private static let plainHeaders: [HTTPHeader] = [.json]

  /// Of an answer to a call: browsers hand it to a page only if the page's origin is one of the app's.
  /// - Parameter app: whose credential it was; nil: none's, and any app's page may read the answer.
  private func headers(for origin: String?, _ app: String? = nil) -> [HTTPHeader] {
    guard let origin else { return HTTPFace.plainHeaders }
    guard authenticator.directory.allows(origin: origin, of: app) else { return [.json, CORS.vary] }
    return [.json, CORS.vary, CORS.allow(origin), CORS.exposed]
  }

  private func preflight(_ request: HTTPRequest) -> HTTPResponse {
    guard let origin = request.header("Origin") else { return HTTPResponse(204, headers: [CORS.allowHeader]) }
    guard authenticator.directory.allows(origin: origin) else {
      var response = HTTPResponse.text(403, "this origin is not one of an app's")
      response.headers.append(CORS.vary)
      return response
    }
    return HTTPResponse(204, headers: [CORS.vary, CORS.allow(origin)] + CORS.preflight)
  }
}
