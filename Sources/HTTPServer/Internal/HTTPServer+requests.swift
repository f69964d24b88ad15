// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CMicroHTTPD
internal import Glibc

/// Requests, from their head to their end.
extension HTTPServer {
  /// Bytes of a request's line and headers. A connection has 8 KiB for its head and the answer's.
  static let headLimit = 7_168

  /// How often a request is asked for its answer before its connection is suspended.
  private static let asksBeforeSuspension = 16

  /// libmicrohttpd's access handler: once with the head, then with each piece of the body, then with nothing; and then
  /// with each run, or after a resume, until there is an answer.
  func access(
    _ connection: OpaquePointer, _ url: UnsafePointer<CChar>, _ method: UnsafePointer<CChar>,
    _ version: UnsafePointer<CChar>, _ upload: UnsafePointer<CChar>?, _ uploadSize: UnsafeMutablePointer<Int>,
    _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  ) -> MHD_Result {
    guard let bits = context.pointee else { return begin(connection, url, method, version, context) }
    let id = HTTPRequestID(bits: UInt64(UInt(bitPattern: bits)))
    guard let exchange = find(id) else { return .NO }
    if uploadSize.pointee > 0 {
      let piece = UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee)
      uploadSize.pointee = 0
      return take(piece, for: exchange)
    }
    switch exchange.state {
    case .receiving:
      runs.bodyEnded(of: exchange)
      exchange.state = .handling
      bufferedBytes -= exchange.body.count
      var body: [UInt8] = []
      swap(&body, &exchange.body)
      let request = view(id, exchange, url)
      handler.receive(request, body: body)
    case .dropping:
      runs.bodyEnded(of: exchange)
      let request = view(id, exchange, url)
      return send(handler.refuse(request, exchange.refusal), for: exchange)
    default: break
    }
    switch exchange.state {
    case .handling, .waiting:
      if clients[exchange.client].hungUp {
        stopAsking(exchange)
        exchange.state = .gone
        handler.clientLeft(id)
        return .NO
      }
      if exchange.state == .handling {
        exchange.state = .waiting
        exchange.isAsking = true
        asking += 1
      }
      exchange.asked += 1
      if exchange.asked > HTTPServer.asksBeforeSuspension {
        stopAsking(exchange)
        exchange.isSuspended = true
        MHD_suspend_connection(connection)
      }
      return .YES
    case .answered:
      runs.goOn()
      return queue(exchange)
    default: return .NO
    }
  }

  /// The head of a request is there.
  private func begin(
    _ connection: OpaquePointer, _ url: UnsafePointer<CChar>, _ method: UnsafePointer<CChar>,
    _ version: UnsafePointer<CChar>, _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>
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

    HeaderField.list(connection, into: &exchange.headers)
    guard assent_mhd_head_size(connection) <= HTTPServer.headLimit else { return refuseHead(exchange) }
    let framing = Framing(of: exchange.headers, version: version)
    let request = view(id, exchange, url)
    // What is queued here makes libmicrohttpd close the connection afterwards, without reading the body.
    if let refusal = framing.refusal { return send(handler.refuse(request, refusal), for: exchange) }
    if clients[exchange.client].isExcess {
      let refusal = HTTPRefusal.tooManyConnections(limit: configuration.connectionsPerAddress)
      return send(handler.refuse(request, refusal), for: exchange)
    }
    exchange.bodyLimit = handler.bodyLimit(for: request)
    exchange.refusal = .bodyTooLarge(limit: exchange.bodyLimit)
    if let length = framing.contentLength {
      if length > exchange.bodyLimit {
        if length > configuration.dropLimit {
          return send(handler.refuse(request, .bodyTooLarge(limit: exchange.bodyLimit)), for: exchange)
        }
        exchange.state = .dropping
      } else if bufferedBytes + length > configuration.bufferLimit {
        return send(handler.refuse(request, .overloaded), for: exchange)
      } else {
        exchange.body.reserveCapacity(min(length, 65_536))
      }
    }
    return .YES
  }

  /// libmicrohttpd answers heads by itself that are larger than its memory for a connection. Of one that just fits into it
  /// nothing is left to write an answer in, and it closes the connection without one; so this is written past it.
  private func refuseHead(_ exchange: Exchange) -> MHD_Result {
    let ofHeaders = exchange.headers.reduce(0) { $0 + $1.nameLength + $1.valueLength }
    let status =
      ofHeaders < HTTPServer.headLimit / 2 ? "414 URI Too Long" : "431 Request Header Fields Too Large"
    let answer = "HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    // The connection has nothing else to send, so this little fits into its socket.
    _ = Glibc.send(clients[exchange.client].descriptor, answer, answer.utf8.count, CInt(MSG_NOSIGNAL))
    exchange.state = .gone
    return .NO
  }

  private func view(_ id: HTTPRequestID, _ exchange: Exchange, _ url: UnsafePointer<CChar>) -> HTTPRequest {
    HTTPRequest(id: id, path: url, source: clients[exchange.client].source, exchange: exchange)
  }

  private func take(_ piece: UnsafeRawBufferPointer, for exchange: Exchange) -> MHD_Result {
    runs.tookPiece(of: exchange)
    if exchange.state == .receiving {
      let isTooLarge = exchange.body.count + piece.count > exchange.bodyLimit
      if isTooLarge || bufferedBytes + piece.count > configuration.bufferLimit {
        exchange.state = .dropping
        if !isTooLarge { exchange.refusal = .overloaded }
        bufferedBytes -= exchange.body.count
        exchange.body = []
      }
    }
    if exchange.state == .dropping {
      // No response can be queued while a body arrives, so a chunked one that does not end costs the connection.
      exchange.dropped += piece.count
      return exchange.dropped > configuration.dropLimit ? .NO : .YES
    }
    exchange.body.append(contentsOf: piece)
    bufferedBytes += piece.count
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
    clients[exchange.client].since = now
    let result = MHD_queue_response(exchange.connection, exchange.status, exchange.response)
    MHD_destroy_response(exchange.response)
    exchange.response = nil
    return result
  }

  /// The request is over, by its response or by its connection's end.
  func completed(_ bits: UInt64, wholly: Bool) {
    let id = HTTPRequestID(bits: bits)
    guard let exchange = find(id) else { return }
    runs.goOn()
    stopAsking(exchange)
    let hasAnswer = exchange.state == .answered || (exchange.state == .sending && exchange.stream == nil)
    let nobodyTold = exchange.state == .waiting || (exchange.state == .sending && exchange.stream != nil && !wholly)
    // Of one that was cut off in its middle.
    bufferedBytes -= exchange.body.count
    sendingBytes -= exchange.responseBytes
    clients[exchange.client].exchange = nil
    clients[exchange.client].since = now
    exchange.reset()
    exchanges.give(back: id.slot)
    guard daemon != nil else { return }
    if nobodyTold { handler.clientLeft(id) } else if hasAnswer { handler.answerEnded(id) }
  }
}
