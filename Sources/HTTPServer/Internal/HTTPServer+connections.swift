// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CMicroHTTPD
internal import Glibc

/// TCP connections, from accept to close.
extension HTTPServer {
  func opened(_ connection: OpaquePointer) -> UInt64 {
    let index = clients.take { Client() }
    clients[index].generation &+= 1
    clients[index].isOpen = true
    clients[index].hungUpAt = nil
    clients[index].exchange = nil
    clients[index].since = now
    clients[index].descriptor = assent_mhd_descriptor(connection)
    let address = HTTPSource.network(of: HTTPServer.address(of: connection))
    let source = sources[address] ?? HTTPSource(address)
    sources[address] = source
    source.connections += 1
    clients[index].source = source
    let limit = configuration.connectionsPerAddress
    clients[index].isExcess = limit > 0 && source.connections > limit
    if limit > 0, source.connections > 2 * limit { shutdown(clients[index].descriptor, CInt(SHUT_RDWR)) }
    let bits = HTTPRequestID(slot: index, generation: clients[index].generation).bits
    hangUps.watch(clients[index].descriptor, as: bits)
    return bits
  }

  func closed(_ bits: UInt64) {
    let index = HTTPRequestID(bits: bits).slot
    clients[index].isOpen = false
    let source = clients[index].source
    source.connections -= 1
    if source.connections == 0 { sources[source.address] = nil }
    clients[index].source = .none
    clients.give(back: index)
  }

  /// Numeric, without the port.
  private static func address(of connection: OpaquePointer) -> String {
    guard let address = assent_mhd_address(connection) else { return "" }
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let length =
      address.pointee.sa_family == sa_family_t(AF_INET6)
      ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
    guard getnameinfo(address, socklen_t(length), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
      return ""
    }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  func clientHungUp(_ bits: UInt64) {
    let client = HTTPRequestID(bits: bits)
    guard clients[client.slot].isOpen, clients[client.slot].generation == client.generation else { return }
    clients[client.slot].hungUpAt = now
    guard let id = clients[client.slot].exchange, let exchange = find(id) else { return }
    if exchange.state == .waiting {
      stopAsking(exchange)
      exchange.state = .gone
      exchange.resume()
      handler.clientLeft(id)
    } else if let stream = exchange.stream {
      stream.abort()
    }
  }

  /// libmicrohttpd's own timeout restarts with every byte, so that one byte a minute, sent or read, would hold a
  /// connection for ever. And it does not always notice an end that comes with the last bytes: in its edge-triggered epoll
  /// that is one event, and a read that leaves room in its buffer is taken to have read everything.
  func closeSlowClients() {
    for index in clients.entries.indices where clients[index].isOpen {
      if let hungUpAt = clients[index].hungUpAt, now >= hungUpAt + 1000, isUnanswerable(clients[index]) {
        shutdown(clients[index].descriptor, CInt(SHUT_RDWR))
        continue
      }
      let seconds: Int
      if let id = clients[index].exchange {
        guard let exchange = find(id) else { continue }
        switch exchange.state {
        case .receiving, .dropping: seconds = configuration.receiveSeconds
        case .sending where exchange.stream == nil: seconds = configuration.sendSeconds
        default: continue
        }
      } else {
        seconds = configuration.idleSeconds
      }
      if now > clients[index].since + UInt64(seconds) * 1000 { shutdown(clients[index].descriptor, CInt(SHUT_RDWR)) }
    }
  }

  /// All places are taken: an eighth of them, at most, is taken from those who have not sent a whole request for over a
  /// second, first from the addresses with most connections and there from whoever has been slow for longest.
  func makeRoom() {
    let idle = clients.entries.indices.filter { index in
      let client = clients[index]
      return client.isOpen && client.since + 1000 < now && isUnanswerable(client)
    }
    let slowest = idle.sorted { one, other in
      let (one, other) = (clients[one], clients[other])
      return (other.source.connections, one.since) < (one.source.connections, other.since)
    }
    for index in slowest.prefix(max(1, configuration.connectionLimit / 8)) {
      shutdown(clients[index].descriptor, CInt(SHUT_RDWR))
    }
  }

  /// Whether there is no request of it that could be answered: nothing of one came, or a part.
  private func isUnanswerable(_ client: Client) -> Bool {
    guard let id = client.exchange else { return true }
    guard let exchange = find(id) else { return false }
    return exchange.state == .receiving || exchange.state == .dropping
  }

  /// See `cutSlowReaders`.
  /// - Returns: whether there is room now.
  func makeRoomForAnswers() -> Bool {
    let most = configuration.bufferLimit / 4 * 3
    guard sendingBytes > most else { return true }
    var held: [ObjectIdentifier: Int] = [:]
    let readers = clients.entries.indices.compactMap { index -> (client: Int, exchange: Exchange)? in
      let client = clients[index]
      guard client.isOpen, let exchange = client.exchange.flatMap(find), exchange.state == .sending,
        exchange.responseBytes > 0
      else { return nil }
      held[ObjectIdentifier(client.source), default: 0] += exchange.responseBytes
      return client.since + 1_000 < now ? (index, exchange) : nil
    }
    let slowest = readers.sorted { one, other in
      let (one, other) = (clients[one.client], clients[other.client])
      let (ofOne, ofOther) = (held[ObjectIdentifier(one.source)] ?? 0, held[ObjectIdentifier(other.source)] ?? 0)
      return (ofOther, one.since) < (ofOne, other.since)
    }
    for reader in slowest where sendingBytes > most {
      shutdown(clients[reader.client].descriptor, CInt(SHUT_RDWR))
      sendingBytes -= reader.exchange.responseBytes
      reader.exchange.responseBytes = 0
    }
    return sendingBytes <= most
  }
}
