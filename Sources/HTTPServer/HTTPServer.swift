// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CMicroHTTPD
internal import Glibc

/// An HTTP/1.1 server without a thread of its own: it lives in somebody's poll loop, beside ZeroMQ sockets.
///
/// The loop polls `descriptors` for input no longer than `nextTimeout` and then calls `turn()`. Everything else, the
/// handler's calls included, happens on that one thread; the object is not Sendable. While a request waits for its answer
/// its connection is suspended, which costs nothing.
///
/// libmicrohttpd is correlated with by numbers only: what it keeps for us (`con_cls`, the socket context) is a slot and
/// its generation, never a pointer, so that a late callback or answer meets nothing instead of something freed.
public final class HTTPServer {
  public let port: UInt16
  /// Responses say `Connection: close` from now on: set while draining.
  public var closesConnections = false

  private let configuration: HTTPServerConfiguration
  private unowned let handler: any HTTPHandler
  private var daemon: OpaquePointer?
  private let hangUps = HangUps()
  private var exchanges = Slots<Exchange>()
  private var clients = Slots<Client>()
  private var now = HTTPServer.milliseconds()
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

  /// Milliseconds after which `turn()` is to be called even if nothing is readable; nil: never.
  public var nextTimeout: Int? {
    guard let daemon else { return nil }
    var timeout: CUnsignedLongLong = 0
    let limit = clients.count > 0 ? 1000 : Int.max
    guard MHD_get_timeout(daemon, &timeout) == .YES else { return limit == .max ? nil : limit }
    return min(Int(clamping: timeout), limit)
  }

  /// Accepts, reads, hands requests to the handler, writes what was answered. Never blocks.
  public func turn() {
    guard let daemon else { return }
    now = HTTPServer.milliseconds()
    hangUps.forEach(clientHungUp)
    MHD_run(daemon)
    if now >= nextSweep {
      nextSweep = now + 1000
      closeSlowClients()
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
      MHD_resume_connection(exchange.connection)
    }
    MHD_run(daemon)
    MHD_stop_daemon(daemon)
  }

  public var openConnections: Int { clients.count }

  // MARK: Answers

  /// Answers a request.
  /// - Returns: false if nobody waits for it: the client left, or it is answered already.
  @discardableResult
  public func respond(_ id: HTTPRequestID, status: Int, headers: [HTTPHeader], body: [UInt8]) -> Bool {
    guard let exchange = find(id), exchange.state == .handling || exchange.state == .waiting else { return false }
    let response = body.withUnsafeBytes {
      MHD_create_response_from_buffer($0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
    }
    answer(exchange, status, headers, response)
    return true
  }

  @discardableResult
  public func respond(_ id: HTTPRequestID, _ response: HTTPResponse) -> Bool {
    respond(id, status: response.status, headers: response.headers, body: response.body)
  }

  /// Answers a request with a body that is written bit by bit, such as Server-Sent Events. It ends by `endStream`; if the
  /// client leaves first the handler gets `clientLeft`.
  @discardableResult
  public func beginStream(_ id: HTTPRequestID, status: Int, headers: [HTTPHeader]) -> Bool {
    guard let exchange = find(id), exchange.state == .handling || exchange.state == .waiting,
      let connection = exchange.connection
    else { return false }
    let stream = StreamBody(connection)
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
    return stream.pending
  }

  /// Ends a stream. `aborted`: so that the client sees that it is not whole.
  public func endStream(_ id: HTTPRequestID, aborted: Bool = false) {
    guard let exchange = find(id), let stream = exchange.stream else { return }
    if aborted { stream.abort() } else { stream.end() }
  }

  private func answer(_ exchange: Exchange, _ status: Int, _ headers: [HTTPHeader], _ response: OpaquePointer?) {
    for header in headers { MHD_add_response_header(response, header.name, header.value) }
    if closesConnections { MHD_add_response_header(response, "Connection", "close") }
    exchange.response = response
    exchange.status = UInt32(status)
    let wasWaiting = exchange.state == .waiting
    exchange.state = .answered
    if wasWaiting { MHD_resume_connection(exchange.connection) }
  }

  private func find(_ id: HTTPRequestID) -> Exchange? {
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

// MARK: - Connections

extension HTTPServer {
  private func opened(_ connection: OpaquePointer) -> UInt64 {
    let index = clients.take { Client() }
    clients[index].generation &+= 1
    clients[index].isOpen = true
    clients[index].hungUp = false
    clients[index].exchange = nil
    clients[index].since = now
    clients[index].descriptor = assent_mhd_descriptor(connection)
    let bits = HTTPRequestID(slot: index, generation: clients[index].generation).bits
    hangUps.watch(clients[index].descriptor, as: bits)
    return bits
  }

  private func closed(_ bits: UInt64) {
    let index = HTTPRequestID(bits: bits).slot
    clients[index].isOpen = false
    clients.give(back: index)
  }

  private func clientHungUp(_ bits: UInt64) {
    let client = HTTPRequestID(bits: bits)
    guard clients[client.slot].isOpen, clients[client.slot].generation == client.generation else { return }
    clients[client.slot].hungUp = true
    guard let id = clients[client.slot].exchange, let exchange = find(id) else { return }
    if exchange.state == .waiting {
      exchange.state = .gone
      MHD_resume_connection(exchange.connection)
      handler.clientLeft(id)
    } else if let stream = exchange.stream {
      stream.abort()
    }
  }

  /// libmicrohttpd's own timeout restarts with every byte, so that one byte a minute would hold a connection for ever.
  private func closeSlowClients() {
    for index in clients.entries.indices where clients[index].isOpen {
      let seconds: Int
      if let id = clients[index].exchange {
        guard let exchange = find(id), exchange.state == .receiving || exchange.state == .dropping else { continue }
        seconds = configuration.receiveSeconds
      } else {
        seconds = configuration.idleSeconds
      }
      if now > clients[index].since + UInt64(seconds) * 1000 { shutdown(clients[index].descriptor, CInt(SHUT_RDWR)) }
    }
  }
}

// MARK: - Requests

extension HTTPServer {
  /// libmicrohttpd's access handler: once with the head, then with each piece of the body, then with nothing; and once
  /// more after each resume.
  private func access(
    _ connection: OpaquePointer, _ url: UnsafePointer<CChar>, _ method: UnsafePointer<CChar>,
    _ upload: UnsafePointer<CChar>?, _ uploadSize: UnsafeMutablePointer<Int>,
    _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  ) -> MHD_Result {
    guard let bits = context.pointee else { return begin(connection, url, method, context) }
    let id = HTTPRequestID(bits: UInt64(UInt(bitPattern: bits)))
    guard let exchange = find(id) else { return .NO }
    if uploadSize.pointee > 0 {
      let piece = UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee)
      uploadSize.pointee = 0
      return take(piece, for: exchange)
    }
    switch exchange.state {
    case .receiving:
      exchange.state = .handling
      var body: [UInt8] = []
      swap(&body, &exchange.body)
      let request = HTTPRequest(id: id, method: exchange.method, path: String(cString: url), connection: connection)
      handler.receive(request, body: body)
    case .dropping:
      let request = HTTPRequest(id: id, method: exchange.method, path: String(cString: url), connection: connection)
      return send(handler.refuse(request, .bodyTooLarge(limit: exchange.bodyLimit)), for: exchange)
    default: break
    }
    switch exchange.state {
    case .handling:
      if clients[exchange.client].hungUp {
        exchange.state = .gone
        handler.clientLeft(id)
        return .NO
      }
      exchange.state = .waiting
      MHD_suspend_connection(connection)
      return .YES
    case .answered: return queue(exchange)
    default: return .NO
    }
  }

  /// The head of a request is there.
  private func begin(
    _ connection: OpaquePointer, _ url: UnsafePointer<CChar>, _ method: UnsafePointer<CChar>,
    _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  ) -> MHD_Result {
    let slot = exchanges.take { Exchange() }
    let exchange = exchanges[slot]
    // Never 0 as a whole, which libmicrohttpd's NULL would be.
    exchange.generation = exchange.generation == .max ? 1 : exchange.generation + 1
    let id = HTTPRequestID(slot: slot, generation: exchange.generation)
    context.pointee = UnsafeMutableRawPointer(bitPattern: UInt(id.bits))
    exchange.state = .receiving
    exchange.connection = connection
    exchange.method = HTTPMethod(method)
    exchange.client = HTTPRequestID(bits: UInt64(UInt(bitPattern: assent_mhd_socket_context(connection)))).slot
    clients[exchange.client].exchange = id
    clients[exchange.client].since = now

    let framing = Framing(of: connection)
    let request = HTTPRequest(id: id, method: exchange.method, path: String(cString: url), connection: connection)
    // What is queued here makes libmicrohttpd close the connection afterwards, without reading the body.
    if let refusal = framing.refusal { return send(handler.refuse(request, refusal), for: exchange) }
    exchange.bodyLimit = handler.bodyLimit(for: request)
    if let length = framing.contentLength {
      if length > exchange.bodyLimit {
        if length > configuration.dropLimit {
          return send(handler.refuse(request, .bodyTooLarge(limit: exchange.bodyLimit)), for: exchange)
        }
        exchange.state = .dropping
      } else {
        exchange.body.reserveCapacity(min(length, 65_536))
      }
    }
    return .YES
  }

  private func take(_ piece: UnsafeRawBufferPointer, for exchange: Exchange) -> MHD_Result {
    if exchange.state == .receiving && exchange.body.count + piece.count > exchange.bodyLimit {
      exchange.state = .dropping
      exchange.body = []
    }
    if exchange.state == .dropping {
      // No response can be queued while a body arrives, so a chunked one that does not end costs the connection.
      exchange.dropped += piece.count
      return exchange.dropped > configuration.dropLimit ? .NO : .YES
    }
    exchange.body.append(contentsOf: piece)
    return .YES
  }

  private func send(_ response: HTTPResponse, for exchange: Exchange) -> MHD_Result {
    exchange.state = .handling
    let made = response.body.withUnsafeBytes {
      MHD_create_response_from_buffer($0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
    }
    answer(exchange, response.status, response.headers, made)
    return queue(exchange)
  }

  private func queue(_ exchange: Exchange) -> MHD_Result {
    exchange.state = .sending
    let result = MHD_queue_response(exchange.connection, exchange.status, exchange.response)
    MHD_destroy_response(exchange.response)
    exchange.response = nil
    return result
  }

  /// The request is over, by its response or by its connection's end.
  private func completed(_ bits: UInt64, wholly: Bool) {
    let id = HTTPRequestID(bits: bits)
    guard let exchange = find(id) else { return }
    let nobodyTold = exchange.state == .waiting || (exchange.state == .sending && exchange.stream != nil && !wholly)
    clients[exchange.client].exchange = nil
    clients[exchange.client].since = now
    exchange.reset()
    exchanges.give(back: id.slot)
    if nobodyTold && daemon != nil { handler.clientLeft(id) }
  }
}

// MARK: - libmicrohttpd

extension HTTPServer {
  private func startDaemon(_ listener: CInt) -> OpaquePointer? {
    // The daemon is stopped in `stop()`, by `deinit` at the latest, so it never outlives what this points to.
    let me = Unmanaged.passUnretained(self).toOpaque()
    let completed: MHD_RequestCompletedCallback = { server, _, context, code in
      guard let bits = context?.pointee else { return }
      context?.pointee = nil
      Unmanaged<HTTPServer>.fromOpaque(server!)._withUnsafeGuaranteedRef {
        $0.completed(UInt64(UInt(bitPattern: bits)), wholly: code == .REQUEST_TERMINATED_COMPLETED_OK)
      }
    }
    let connectionChanged: MHD_NotifyConnectionCallback = { server, connection, context, code in
      Unmanaged<HTTPServer>.fromOpaque(server!)._withUnsafeGuaranteedRef {
        switch code {
        case .CONNECTION_NOTIFY_STARTED:
          context!.pointee = UnsafeMutableRawPointer(bitPattern: UInt($0.opened(connection!)))
        case .CONNECTION_NOTIFY_CLOSED:
          $0.closed(UInt64(UInt(bitPattern: context!.pointee)))
        }
      }
    }
    let unescape: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?) -> Int = {
      _, _, text in
      // A decoded NUL would end the C string there: "/rpc%00x" would be "/rpc".
      if strchr(text!, 0x25) == nil || strstr(text!, "%00") != nil { return strlen(text!) }
      return MHD_http_unescape(text!)
    }
    var options = [
      MHD_OptionItem(option: .NOTIFY_COMPLETED, value: address(completed), ptr_value: me),
      MHD_OptionItem(option: .NOTIFY_CONNECTION, value: address(connectionChanged), ptr_value: me),
      MHD_OptionItem(option: .UNESCAPE_CALLBACK, value: address(unescape), ptr_value: nil),
      // Refuses a request without Host.
      MHD_OptionItem(option: .STRICT_FOR_CLIENT, value: 1, ptr_value: nil),
      MHD_OptionItem(option: .LISTEN_SOCKET, value: Int(listener), ptr_value: nil),
      MHD_OptionItem(option: .CONNECTION_LIMIT, value: configuration.connectionLimit, ptr_value: nil),
      MHD_OptionItem(option: .CONNECTION_TIMEOUT, value: configuration.idleSeconds, ptr_value: nil),
      MHD_OptionItem(option: .END, value: 0, ptr_value: nil),
    ]
    let flags = MHD_USE_EPOLL.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue | MHD_USE_TURBO.rawValue
    return assent_mhd_start(
      flags,
      { server, connection, url, method, _, upload, uploadSize, context in
        Unmanaged<HTTPServer>.fromOpaque(server!)._withUnsafeGuaranteedRef {
          $0.access(connection!, url!, method!, upload, uploadSize!, context!)
        }
      }, me, &options)
  }

  /// A C function's address, as an option's value.
  private func address<Function>(_ function: Function) -> Int {
    Int(bitPattern: unsafeBitCast(function, to: UnsafeRawPointer.self))
  }
}
