// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CMicroHTTPD
internal import Glibc

/// An HTTP/1.1 server without a thread of its own: it lives in somebody's poll loop, beside ZeroMQ sockets.
///
/// The loop polls `descriptors` for input no longer than `nextTimeout` and then calls `turn()`. Everything else, the
/// handler's calls included, happens on that one thread; the object is not Sendable.
///
/// A request that waits for its answer costs no turns: libmicrohttpd would run without a pause for as long as one waits,
/// but the loop is told to sleep unless there is something else to run for. In the runs that come anyway it asks for each
/// waiting request's answer, which is cheap; after some of them the connection is suspended, which costs four system
/// calls, and is asked no more.
///
/// libmicrohttpd is correlated with by numbers only: what it keeps for us (`con_cls`, the socket context) is a slot and
/// its generation, never a pointer, so that a late callback or answer meets nothing instead of something freed.
public final class HTTPServer {
  public let port: UInt16
  /// Responses say `Connection: close` from now on: set while draining.
  public var closesConnections = false

  let configuration: HTTPServerConfiguration
  unowned let handler: any HTTPHandler
  var daemon: OpaquePointer?
  let hangUps = HangUps()
  var exchanges = Slots<Exchange>()
  var clients = Slots<Client>()
  /// Those that have connections, by their addresses.
  var sources: [String: HTTPSource] = [:]
  /// Bytes of bodies that are being received.
  var bufferedBytes = 0
  /// Bytes of responses that are being sent, small ones and streams apart.
  var sendingBytes = 0
  /// A response found no room among them.
  private var lacksRoom = false
  private var nextCut: UInt64 = 0
  var now = HTTPServer.milliseconds()
  let runs = Runs()
  /// Requests that wait for their answers with their connections not suspended.
  var asking = 0
  private var hasHangUps = false
  private var nextSweep: UInt64 = 0

  /// - Parameter handler: must outlive the server.
  public init(_ configuration: HTTPServerConfiguration, handler: any HTTPHandler) throws(HTTPServerError) {
    self.configuration = configuration
    self.handler = handler
    let listener: CInt
    (listener, port) = try ListenSocket.open(address: configuration.address, port: configuration.port)
    daemon = startDaemon(listener)
    guard daemon != nil else {
      close(listener)
      throw HTTPServerError(description: "\(configuration.address):\(port): the HTTP server does not start")
    }
  }

  deinit { stop() }

  // MARK: In the loop

  /// To be polled for input.
  public var descriptors: [CInt] {
    guard let daemon else { return [] }
    return [assent_mhd_epoll_descriptor(daemon), hangUps.descriptor]
  }

  /// To be called before `turn()` for each descriptor that is readable, by its place in `descriptors`.
  public func isReadable(_ descriptor: Int) {
    if descriptor == 1 { hasHangUps = true }
  }

  /// Milliseconds after which `turn()` is to be called even if nothing is readable; nil: never.
  public var nextTimeout: Int? {
    guard let daemon else { return nil }
    guard !runs.isNextDue else { return 0 }
    // By the clock, and not from now on: the loop asks anew whenever anything wakes it.
    let current = HTTPServer.milliseconds()
    // libmicrohttpd wants to run again at once while any request waits. What it may want besides is noted in `runs`,
    // except of a connection that is in the middle of a head, which a millisecond does not hurt.
    guard asking == 0 else { return current > now ? 0 : 1 }
    var timeout: CUnsignedLongLong = 0
    let untilSweep = clients.count > 0 ? Int(clamping: nextSweep - min(nextSweep, current)) : nil
    guard MHD_get_timeout(daemon, &timeout) == .YES else { return untilSweep }
    return min(Int(clamping: timeout), untilSweep ?? .max)
  }

  /// Accepts, reads, hands requests to the handler, writes what was answered. Never blocks.
  public func turn() {
    guard let daemon else { return }
    now = HTTPServer.milliseconds()
    if hasHangUps { hangUps.forEach(clientHungUp) }
    hasHangUps = false
    runs.begin()
    let wasFull = clients.count >= configuration.connectionLimit
    MHD_run(daemon)
    // Being full, libmicrohttpd does not watch its listener, and it looks only when it begins a run whether it may again.
    if wasFull, clients.count < configuration.connectionLimit { MHD_run(daemon) }
    if lacksRoom, now >= nextCut {
      nextCut = now + HTTPServer.cutInterval
      lacksRoom = !makeRoomForAnswers()
    }
    if now >= nextSweep {
      nextSweep = now + 1000
      closeSlowClients()
      if clients.count >= configuration.connectionLimit { makeRoom() }
    }
  }

  /// No new connections from now on; the open ones go on.
  public func stopAccepting() {
    guard let daemon else { return }
    let listener = MHD_quiesce_daemon(daemon)
    if listener >= 0 { close(listener) }
  }

  /// Closes every connection; requests that still wait get no answer, and the handler is not told of them.
  public func stop() {
    guard let daemon else { return }
    self.daemon = nil
    // Stopping with suspended connections is undefined: resume all, let it run once, then stop.
    for index in exchanges.entries.indices {
      let exchange = exchanges[index]
      exchange.stream?.abort()
      guard exchange.state == .waiting else { continue }
      exchange.state = .gone
      exchange.resume()
    }
    MHD_run(daemon)
    MHD_stop_daemon(daemon)
  }

  public var openConnections: Int { clients.count }

  // MARK: Answers

  /// A response body of at most so many bytes is always taken: a connection has one at most.
  public static let smallAnswer = 4_096
  /// Between looks for those who read slowly, in milliseconds.
  private static let cutInterval: UInt64 = 100

  /// Answers a request: with 503 in place of what is more than the configuration's `bufferLimit` has room for.
  /// - Returns: false if nobody waits for it: the client left, or it is answered already.
  @discardableResult
  public func respond(_ id: HTTPRequestID, status: Int, headers: [HTTPHeader], body: [UInt8]) -> Bool {
    guard let exchange = find(id), exchange.state == .handling || exchange.state == .waiting else { return false }
    let isLarge = body.count > HTTPServer.smallAnswer
    if isLarge, sendingBytes > 0, sendingBytes + body.count > configuration.bufferLimit {
      cutSlowReaders()
      return respond(id, .text(503, "responses that have not been read take too much memory"))
    }
    let response = body.withUnsafeBytes {
      MHD_create_response_from_buffer($0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
    }
    exchange.responseBytes = isLarge ? body.count : 0
    sendingBytes += exchange.responseBytes
    answer(exchange, status, headers, response)
    return true
  }

  @discardableResult
  public func respond(_ id: HTTPRequestID, _ response: HTTPResponse) -> Bool {
    respond(id, status: response.status, headers: response.headers, body: response.body)
  }

  /// There is no room for a response: those who have read at theirs for a second lose them, first of the addresses that
  /// hold most, until a quarter of the room is free.
  public func cutSlowReaders() { lacksRoom = true }

  /// Answers a request with a body that is written bit by bit, such as Server-Sent Events. It ends by `endStream`; if the
  /// client leaves first the handler gets `clientLeft`.
  @discardableResult
  public func beginStream(_ id: HTTPRequestID, status: Int, headers: [HTTPHeader]) -> Bool {
    guard let exchange = find(id), exchange.state == .handling || exchange.state == .waiting,
      let connection = exchange.connection
    else { return false }
    let stream = StreamBody(connection, runs)
    exchange.stream = stream
    answer(exchange, status, headers, stream.makeResponse())
    return true
  }

  /// Adds to a stream.
  /// - Returns: how many bytes the client has not taken yet, to bound them; nil if the stream is gone.
  @discardableResult
  public func write(_ id: HTTPRequestID, _ bytes: some Collection<UInt8>) -> Int? {
    guard let exchange = find(id), exchange.state != .gone, let stream = exchange.stream, !stream.isEnded else {
      return nil
    }
    stream.write(bytes)
    runs.goOn()
    return stream.pending
  }

  /// Ends a stream. `aborted`: so that the client sees that it is not whole.
  public func endStream(_ id: HTTPRequestID, aborted: Bool = false) {
    guard let exchange = find(id), let stream = exchange.stream else { return }
    if aborted { stream.abort() } else { stream.end() }
    runs.goOn()
  }

  func answer(_ exchange: Exchange, _ status: Int, _ headers: [HTTPHeader], _ response: OpaquePointer?) {
    for header in headers { MHD_add_response_header(response, header.name, header.value) }
    if closesConnections { MHD_add_response_header(response, "Connection", "close") }
    exchange.response = response
    exchange.status = UInt32(status)
    if exchange.state == .waiting { runs.goOn() }
    exchange.state = .answered
    stopAsking(exchange)
    exchange.resume()
  }

  func stopAsking(_ exchange: Exchange) {
    guard exchange.isAsking else { return }
    exchange.isAsking = false
    asking -= 1
  }

  func find(_ id: HTTPRequestID) -> Exchange? {
    guard id.slot < exchanges.entries.count else { return nil }
    let exchange = exchanges[id.slot]
    return exchange.generation == id.generation && exchange.state != .free ? exchange : nil
  }

  private static func milliseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
  }
}
