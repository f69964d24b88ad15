// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSONRPC
import RPC
import RPCZeroMQ
import Testing
import Threading
import ZeroMQ

/// Who gets in by CURVE, and as what.
@Suite struct CurveTests {
  /// Answers who the sender is.
  static let whoami = TestHandler { received, reply in reply(OutboundReply(body: text("\(received.peer)"))) }

  @Test(arguments: [
    ("gateway", "gateway"), ("service", #"service("audit-service")"#), ("operator", "operator"),
  ])
  func `a listed key is let in as what it is listed`(_ name: String, _ peer: String) async throws {
    let keys = try Keys()
    let server = try await Program("server", keys, .service)
    let endpoint = try await server.serve(CurveTests.whoami).endpoint
    let program = try await Program(name, keys)
    let client = try await program.client(of: endpoint)
    for _ in 0..<10 { #expect(await client.call("who").text == peer) }
    await program.thread.stop()
    await server.thread.stop()
  }

  @Test(arguments: ["unlisted client key", "wrong server key", "swapped keys", "plain text", "CURVE to plain text"])
  func `whoever has not the right keys never reaches the handler`(_ problem: String) async throws {
    let keys = try Keys()
    let arrived = Count()
    let handler = TestHandler { _, reply in
      arrived.add()
      reply(OutboundReply(body: [1]))
    }
    switch problem {
    case "unlisted client key": keys.write(keys: [keys.stranger], of: "gateway")
    case "wrong server key": keys.write(peers: [("\(Keys.serverRole)", keys.stranger)], of: "gateway")
    case "swapped keys":
      keys.write(keys: [keys.gateway], of: "server")
      keys.write(keys: [keys.server], of: "gateway")
    default: break
    }
    let server = try await Program("server", keys, .service)
    let endpoint: String
    if problem == "CURVE to plain text" {
      endpoint = try await ZeroMQServer.bind("tcp://127.0.0.1:*", handler, on: server.thread).endpoint
    } else {
      endpoint = try await server.serve(handler).endpoint
    }
    let program = try await Program("gateway", keys)
    let client =
      problem == "plain text"
      ? try await ZeroMQClient.connect(endpoint, on: program.thread) : try await program.client(of: endpoint)
    let error = try #require(await client.call("hello", milliseconds: 1_000).error)
    #expect(error.code == .unavailable && error.processed == .no)
    #expect(arrived.value == 0)
    await program.thread.stop()
    await server.thread.stop()
  }

  @Test(arguments: [
    (KeyRing.Door.gateway, "service:audit-service"), (.service, "client:phone"), (.closed, "gateway"),
    (.closed, "operator"),
  ])
  func `a listed key is let in only where its role belongs`(_ door: KeyRing.Door, _ role: String) async throws {
    let keys = try Keys()
    keys.write(peers: [(role, keys.gateway)], of: "server")
    let server = try await Program("server", keys, door)
    let endpoint = try await server.serve(CurveTests.whoami).endpoint
    let program = try await Program("gateway", keys)
    #expect(try await program.client(of: endpoint).call("who", milliseconds: 500).error?.reason == "notConnected")
    await program.thread.stop()
    await server.thread.stop()
  }

  @Test func `who a client is follows from its key, whatever routing id it claims`() async throws {
    let keys = try Keys()
    let server = try await Program("server", keys, .service)
    let endpoint = try await server.serve(CurveTests.whoami).endpoint
    let (serverKey, pairs) = (keys.server.publicKey, [keys.gateway, keys.operator, keys.gateway])
    let seen = try await onThread {
      let context = try Context()
      return try pairs.map { pair in
        let dealer = try Socket(.dealer, in: context)
        try dealer.set(.routingID, text("one and the same"))
        try dealer.useCurve(server: serverKey, as: pair)
        try dealer.connect(endpoint)
        // The id is free again once the server has noticed that its last holder has gone; until then nothing comes back.
        let poller = try Poller()
        try poller.replaceItems([PollItem(dealer)])
        while true {
          try dealer.sendWhenPossible([text("who")])
          try poller.poll(timeout: 200)
          if let reply = try dealer.receive() { return String(decoding: reply[0], as: UTF8.self) }
          try dealer.disconnect(endpoint)
          try dealer.connect(endpoint)
        }
      }
    }
    #expect(seen == ["gateway", "operator", "gateway"])
    await server.thread.stop()
  }

  /// A ROUTER of libzmq 4.3.4 counts up the ids that it makes for its clients. In plain text a client that claims the next
  /// one ends the process with the connection that would have got it.
  @Test func `whoever is not let in claims no routing id, not even the one that the next client gets`() async throws {
    let keys = try Keys()
    let server = try await Program("server", keys, .service)
    // The number that the ROUTER made up, which a client is not told otherwise.
    let handler = TestHandler { received, reply in
      reply(OutboundReply(body: text("\(UInt32(truncatingIfNeeded: received.connection))")))
    }
    let endpoint = try await server.serve(handler).endpoint
    let (serverKey, listed, stranger) = (keys.server.publicKey, keys.gateway, keys.stranger)
    try await onThread {
      let context = try Context()
      func dealer(_ pair: CurveKeyPair) throws -> Socket {
        let dealer = try Socket(.dealer, in: context)
        try dealer.useCurve(server: serverKey, as: pair)
        return dealer
      }
      func number(_ client: Socket) throws -> UInt32 {
        try client.connect(endpoint)
        try client.sendWhenPossible([text("which")])
        return UInt32(String(decoding: try client.receiveWhenPossible()[0], as: UTF8.self))!
      }
      var clients = [try dealer(listed)]
      var known = try number(clients[0])
      for _ in 0..<3 {
        let claiming = try dealer(stranger)
        try claiming.set(.routingID, [0] + withUnsafeBytes(of: (known &+ 1).bigEndian, Array.init))
        let monitor = try SocketMonitor(claiming, in: context)
        let poller = try Poller()
        try poller.replaceItems([PollItem(monitor.socket)])
        try claiming.connect(endpoint)
        while try monitor.next() != .handshakeFailed { try poller.poll(timeout: 10_000) }
        monitor.close()
        clients.append(try dealer(listed))
        let next = try number(clients.last!)
        #expect(next == known &+ 1, "it is the one that was claimed")
        known = next
      }
    }
    await server.thread.stop()
  }

  @Test func `garbage before the handshake costs its sender the connection and others nothing`() async throws {
    let keys = try Keys()
    let server = try await Program("server", keys, .service)
    let endpoint = try await server.serve(TestHandler.echo).endpoint
    let program = try await Program("gateway", keys)
    let client = try await program.client(of: endpoint)
    #expect(await client.call("before").text == "re:before")
    let port = UInt16(endpoint.split(separator: ":").last!)!
    // A greeting that names CURVE, then commands that are none, of no length, too short and too long.
    var greeting: [UInt8] = [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 0] + text("CURVE")
    greeting += [UInt8](repeating: 0, count: 64 - greeting.count)
    let starts: [[UInt8]] = [
      [], [0xFF], [UInt8](repeating: 0xFF, count: 4_000), text("GET / HTTP/1.1\r\n\r\n"), greeting,
      greeting + [4, 0], greeting + [4, 6] + text("\u{5}HELLO"),
      greeting + [4, 200] + text("\u{5}HELLO") + [UInt8](repeating: 7, count: 194),
      greeting + [4, 255] + [UInt8](repeating: 1, count: 255),
      greeting + [6, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3],
      greeting + [4, 9] + text("\u{8}INITIATE"), greeting + [0, 5] + text("hello"),
    ]
    try await onThread {
      for start in starts {
        let stranger = try connect(toLoopback: port)
        start.withUnsafeBytes { _ = send(stranger, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
        // Ends when the server closes, which it does within its handshake interval.
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while read(stranger, &buffer, buffer.count) > 0 {}
        close(stranger)
      }
    }
    #expect(await client.call("after").text == "re:after")
    await program.thread.stop()
    await server.thread.stop()
  }

  @Test func `nothing that is sent can be read on the way`() async throws {
    let keys = try Keys()
    let server = try await Program("server", keys, .service)
    let proxy = try RecordingProxy(to: await server.serve(TestHandler.echo).endpoint)
    let program = try await Program("gateway", keys)
    let client = try await program.client(of: proxy.endpoint)
    for number in 0..<20 {
      let reply = await client.call(
        "plain-words-\(number)", metadata: #"{"idempotencyKey":"plain-words-key"}"#)
      #expect(reply.text == "re:plain-words-\(number)")
    }
    await program.thread.stop()
    await server.thread.stop()
    let recorded = proxy.recorded
    #expect(recorded.count > 20 * 100)
    for words in ["plain-words", "idempotencyKey", "timeoutMs", "instance"] {
      #expect(!recorded.contains(text(words)), "\(words) was sent in the clear")
    }
  }

  @Test func `without keys nothing is served or called off the loopback, unless that is allowed`() async throws {
    let thread = try SocketThread()
    await #expect(throws: PlaintextRefused.self) {
      try await ZeroMQServer.bind("tcp://0.0.0.0:*", TestHandler.echo, on: thread)
    }
    await #expect(throws: PlaintextRefused.self) {
      try await ZeroMQClient.connect("tcp://192.0.2.1:5570", on: thread)
    }
    _ = try await ZeroMQServer.bind("tcp://0.0.0.0:*", TestHandler.echo, on: thread, security: .plaintext)
    await thread.stop()
  }

  @Test func `keys are judged before anything is bound: there are none without a judge, and one judge on a thread`()
    async throws
  {
    let keys = try Keys()
    let program = try await Program("server", keys, .service)
    await #expect(throws: ZeroMQError.addressInUse) {
      try await keys.ring("server", .service, on: program.thread)
    }
    await program.thread.stop()
  }
}
