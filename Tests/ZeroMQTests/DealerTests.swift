// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing
import ZeroMQ

/// What libzmq was seen to do to the side that connects.
@Suite struct DealerTests {
  @Test(arguments: Transport.allCases)
  func `nothing is given to an endpoint that is not there`(_ transport: Transport) throws {
    let context = try Context()
    let router = try Socket(.router, in: context)
    let alive = try router.bind(transport.wildcard)
    let dead = try endpointThatWasThere(transport)
    let dealer = try Socket(.dealer, in: context)
    try dealer.set(.immediate, true)
    try dealer.set(.linger, 0)
    try dealer.connect(dead)
    try dealer.connect(alive)
    for number in 0..<100 { try dealer.sendWhenPossible([text("\(number)")]) }
    for number in 0..<100 { #expect(try router.receiveWhenPossible().last == text("\(number)")) }
  }

  /// Its context is gone with it, so nothing listens any more.
  private func endpointThatWasThere(_ transport: Transport) throws -> String {
    try Socket(.router, in: Context()).bind(transport.wildcard)
  }

  @Test func `a send without a connection is refused, not queued`() throws {
    let context = try Context()
    let dealer = try Socket(.dealer, in: context)
    try dealer.set(.immediate, true)
    try dealer.connect("tcp://127.0.0.1:1")
    #expect(try !dealer.send(text("nobody")))
    #expect(try dealer.events.isEmpty)
  }

  @Test(arguments: [
    "tcp://localhost:5570", "tcp://example.com:1", "tcp://1.2.3:80", "tcp://127.0.0.1", "tcp://[::g]:1",
  ])
  func `an endpoint with a name is refused, since libzmq would block on it`(_ endpoint: String) throws {
    let dealer = try Socket(.dealer, in: Context())
    #expect(throws: ZeroMQError(code: 22)) { try dealer.connect(endpoint) }
  }

  @Test(arguments: ["tcp://127.0.0.1:9", "tcp://[::1]:9", "ipc:///tmp/assent-nothing-here", "inproc://nothing"])
  func `a numeric endpoint is taken`(_ endpoint: String) throws {
    let dealer = try Socket(.dealer, in: Context())
    try dealer.set(.ipv6, true)
    try dealer.set(.linger, 0)
    try dealer.connect(endpoint)
  }

  @Test(arguments: Transport.allCases)
  func `a message that came during a send is seen by the next poll`(_ transport: Transport) throws {
    let bus = try Bus(transport)
    let (dealer, id) = try bus.dealer()
    let poller = try Poller()
    try poller.replaceItems([PollItem(dealer)])
    for _ in 0..<200 {
      try bus.router.sendWhenPossible([id, text("x")])
      // A send looks at the socket's mailbox and so silences its ZMQ_FD.
      while try !dealer.events.contains(.readable) { _ = try dealer.send(text("y")) }
      #expect(try poller.poll(timeout: 10_000) == 1)
      #expect(poller.events(of: 0) == .readable)
      #expect(try dealer.receive() == [text("x")])
    }
  }

  @Test func `a receive after a stale poll result finds nothing and does not wait`() throws {
    let bus = try Bus(.ipc)
    let (dealer, id) = try bus.dealer()
    try bus.router.sendWhenPossible([id, text("one")])
    let poller = try Poller()
    try poller.replaceItems([PollItem(dealer)])
    try poller.poll(timeout: 10_000)
    #expect(try dealer.receive() != nil)
    #expect(poller.events(of: 0) == .readable)
    #expect(try dealer.receive() == nil)
    #expect(try !MultipartMessage(frameLimit: 8, byteLimit: 1).receive(from: dealer))
  }

  @Test func `connection events tell ready from disconnected`() throws {
    let bus = try Bus(.ipc)
    let dealer = try Socket(.dealer, in: bus.context)
    let monitor = try SocketMonitor(dealer, in: bus.context)
    try dealer.connect(bus.endpoint)
    let poller = try Poller()
    try poller.replaceItems([PollItem(monitor.socket)])
    while try monitor.next() != .ready { try poller.poll(timeout: 10_000) }
    #expect(try dealer.send(text("now")))
    #expect(try bus.router.receiveWhenPossible().last == text("now"))
    bus.router.close()
    while try monitor.next() != .disconnected { try poller.poll(timeout: 10_000) }
  }
}
