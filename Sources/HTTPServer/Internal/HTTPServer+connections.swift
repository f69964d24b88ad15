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
    clients[index].hungUp = false
    clients[index].exchange = nil
    clients[index].since = now
    clients[index].descriptor = assent_mhd_descriptor(connection)
    let bits = HTTPRequestID(slot: index, generation: clients[index].generation).bits
    hangUps.watch(clients[index].descriptor, as: bits)
    return bits
  }

  func closed(_ bits: UInt64) {
    let index = HTTPRequestID(bits: bits).slot
    clients[index].isOpen = false
    clients.give(back: index)
  }

  func clientHungUp(_ bits: UInt64) {
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
  func closeSlowClients() {
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
