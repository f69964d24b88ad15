// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing
import ZeroMQ

/// What libzmq was seen to lose or block on when a ROUTER answers.
@Suite struct RouterTests {
  @Test(arguments: Transport.allCases)
  func `a reply that is not refused arrives, however long the client pauses`(_ transport: Transport) throws {
    let bus = try Bus(transport, highWaterMark: 100)
    let (dealer, id) = try bus.dealer(receiveHighWaterMark: 100)
    let body = [UInt8](repeating: 7, count: 2_000)
    var taken = 0
    while try bus.router.send(frames: [id, body]) { taken += 1 }
    #expect(taken >= 100)
    for _ in 0..<taken { #expect(try dealer.receiveWhenPossible() == [body]) }
    #expect(try dealer.receive() == nil)
    try bus.router.sendWhenPossible([id, text("after")])
    #expect(try dealer.receiveWhenPossible() == [text("after")])
  }

  @Test(arguments: Transport.allCases)
  func `a slow client delays no other`(_ transport: Transport) throws {
    let bus = try Bus(transport, highWaterMark: 50)
    let (slow, slowID) = try bus.dealer(receiveHighWaterMark: 50)
    let (quick, quickID) = try bus.dealer()
    while try bus.router.send(frames: [slowID, [UInt8](repeating: 1, count: 2_000)]) {}
    for number in 0..<500 {
      try bus.router.sendWhenPossible([quickID, text("\(number)")])
      #expect(try quick.receiveWhenPossible() == [text("\(number)")])
      _ = try bus.router.send(frames: [slowID, text("more")])
    }
    withExtendedLifetime(slow) {}
  }

  @Test(arguments: Transport.allCases)
  func `a reply to a client that left is reported and blocks nothing`(_ transport: Transport) throws {
    let bus = try Bus(transport)
    let (dealer, id) = try bus.dealer()
    let monitor = try SocketMonitor(bus.router, in: bus.context)
    dealer.close()
    let poller = try Poller()
    try poller.replaceItems([PollItem(monitor.socket)])
    while try monitor.next() != .disconnected { try poller.poll(timeout: 10_000) }
    // The router learns it when it looks at its own mailbox, which a receive does.
    var error: ZeroMQError?
    while error == nil {
      _ = try bus.router.receive()
      do throws(ZeroMQError) { _ = try bus.router.send(frames: [id, text("late")]) } catch let thrown { error = thrown }
    }
    #expect(error == .hostUnreachable)
  }

  @Test(arguments: Transport.allCases)
  func `clients get routing ids of their own, and not the first one of an unseeded generator`(
    _ transport: Transport
  ) throws {
    let bus = try Bus(transport)
    let clients = try (0..<20).map { _ in try bus.dealer() }
    #expect(Set(clients.map(\.id)).count == 20)
    for (dealer, _) in clients { #expect(try dealer.get(.routingID) == []) }
    #expect(clients[0].id.first == 0)
    #expect(clients[0].id != [0x00, 0x6b, 0x8b, 0x45, 0x67])
  }

  @Test(arguments: Transport.allCases)
  func `an oversize frame costs its sender the connection and nobody else`(_ transport: Transport) throws {
    let context = try Context()
    let router = try Socket(.router, in: context)
    try router.set(.largestFrame, 1_000)
    let endpoint = try router.bind(transport.wildcard)
    let (bad, good) = (try Socket(.dealer, in: context), try Socket(.dealer, in: context))
    let monitor = try SocketMonitor(bad, in: context)
    for dealer in [bad, good] { try dealer.connect(endpoint) }
    try bad.sendWhenPossible([[UInt8](repeating: 1, count: 1_001)])
    let poller = try Poller()
    try poller.replaceItems([PollItem(monitor.socket)])
    while try monitor.next() != .disconnected { try poller.poll(timeout: 10_000) }
    try good.sendWhenPossible([text("fine")])
    #expect(try router.receiveWhenPossible().last == text("fine"))
  }

  @Test func `the limit of a frame does not limit a message, so the message's own limits do`() throws {
    let bus = try Bus(.ipc)
    let (dealer, _) = try bus.dealer()
    let message = MultipartMessage(frameLimit: 8, byteLimit: 150_000)
    try dealer.sendWhenPossible([[UInt8]](repeating: [UInt8](repeating: 1, count: 99_999), count: 200))
    try dealer.sendWhenPossible([text("next")])
    while try !message.receive(from: bus.router) { try bus.router.wait() }
    #expect(message.hasTooManyFrames && message.hasTooManyBytes)
    #expect(message.count == 8)
    #expect(message.receivedFrames == 201)
    #expect(message.receivedBytes == 200 * 99_999 + message[0].count)
    #expect((0..<8).map { message[$0].count } == [5, 99_999, 0, 0, 0, 0, 0, 0])
    message.clear()
    while try !message.receive(from: bus.router) { try bus.router.wait() }
    #expect(message.count == 2 && !message.hasTooManyFrames && !message.hasTooManyBytes)
    #expect(Array(message[1]) == text("next"))
  }
}
