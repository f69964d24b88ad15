// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSONRPC
import RPC
import RPCZeroMQ
import Testing
import Threading
import ZeroMQ

/// What users of other bindings and RPC systems ran into, as cases of ours.
@Suite(.serialized, .timeLimit(.minutes(5))) struct LoadTests {
  @Test func `a server under load never stops receiving`() async throws {
    let folder = PrivateFolder()
    let serverThread = try SocketThread()
    _ = try await ZeroMQServer.bind(folder.endpoint, TestHandler.echo, on: serverThread)
    // Many sockets that send in bursts: each send may take the signal that another's message came.
    try await onThread {
      let context = try Context()
      let dealers = try (0..<16).map { _ in try Socket(.dealer, in: context) }
      for dealer in dealers { try dealer.connect(folder.endpoint) }
      for round in 0..<200 {
        for (number, dealer) in dealers.enumerated() {
          for burst in 0..<5 { try dealer.sendWhenPossible([text("\(round).\(number).\(burst)")]) }
        }
        for (number, dealer) in dealers.enumerated() {
          for burst in 0..<5 {
            #expect(try dealer.receiveWhenPossible() == [text("re:\(round).\(number).\(burst)")])
          }
        }
      }
    }
    await serverThread.stop()
  }

  @Test func `a client that connects anew gets its replies, every time`() async throws {
    let folder = PrivateFolder()
    let (thread, serverThread) = (try SocketThread(), try SocketThread())
    _ = try await ZeroMQServer.bind(folder.endpoint, TestHandler.echo, on: serverThread)
    for number in 0..<200 {
      let client = try await ZeroMQClient.connect(folder.endpoint, on: thread)
      #expect(await client.call("\(number)").text == "re:\(number)")
      await client.close()
    }
    await thread.stop()
    await serverThread.stop()
  }

  @Test func `cancels that race replies end each call once, and cost no other call its reply`() async throws {
    let folder = PrivateFolder()
    let (thread, serverThread) = (try SocketThread(), try SocketThread())
    _ = try await ZeroMQServer.bind(folder.endpoint, TestHandler.echo, on: serverThread)
    let client = try await ZeroMQClient.connect(folder.endpoint, on: thread)
    let outcomes = Lock<[Int: [InboundReply]]>([:])
    for number in 0..<3_000 {
      let request = OutboundRequest(
        body: text("\(number)"), metadata: text("{}"), deadline: .after(milliseconds: 20_000))
      let token = client.send(request) { reply in outcomes.withLock { $0[number, default: []].append(reply) } }
      if number % 3 != 0 { client.cancel(token) }
      if number % 100 == 0 { _ = await client.call("between") }
    }
    try await until { outcomes.withLock { $0.count } == 3_000 }
    for (number, replies) in outcomes.withLock({ $0 }) {
      #expect(replies.count == 1)
      if let error = replies[0].error {
        #expect(error.code == .cancelled && number % 3 != 0)
      } else {
        #expect(replies[0].text == "re:\(number)")
      }
    }
    await thread.stop()
    await serverThread.stop()
  }

  @Test func `a message that never ends reaches no handler, and its connection takes nothing from others`() async throws
  {
    let folder = PrivateFolder()
    let (thread, serverThread) = (try SocketThread(), try SocketThread())
    let seen = Count()
    let handler = TestHandler { received, reply in
      seen.add()
      reply(OutboundReply(body: received.body))
    }
    _ = try await ZeroMQServer.bind(folder.endpoint, handler, on: serverThread)
    let client = try await ZeroMQClient.connect(folder.endpoint, on: thread)
    try await onThread {
      // libzmq keeps the frames until the last one comes, which no option bounds: 16 MiB of them here.
      let endless = try Socket(.dealer, in: Context())
      try endless.set(.sendHighWaterMark, 0)
      try endless.connect(folder.endpoint)
      let frame = [UInt8](repeating: 1, count: 16_384)
      for _ in 0..<1_024 { #expect(try endless.send(frame, more: true)) }
      endless.close()
    }
    for number in 0..<100 { #expect(await client.call("\(number)").text == "\(number)") }
    #expect(seen.value == 100)
    await thread.stop()
    await serverThread.stop()
  }

  @Test func `one client that floods does not starve another`() async throws {
    let folder = PrivateFolder()
    let (thread, serverThread) = (try SocketThread(), try SocketThread())
    var router = MethodRouter()
    let slow = Method<Empty, Empty>("test.slow", "Takes its time", .anyone)
    router.on(slow) { _, _ in
      try await Task.sleep(for: .seconds(20))
      return Empty()
    }
    let quick = Method<Empty, Empty>("test.quick", "Waits a little", .anyone)
    router.on(quick) { _, _ in
      try await Task.sleep(for: .milliseconds(1))
      return Empty()
    }
    var limits = Dispatcher.Limits()
    limits.inFlight = 100
    let dispatcher = Dispatcher(router, title: "test", limits: limits)
    _ = try await ZeroMQServer.bind(folder.endpoint, dispatcher, on: serverThread)
    let flooding = try await ZeroMQClient.connect(folder.endpoint, on: thread)
    let good = RPCClient(try await ZeroMQClient.connect(folder.endpoint, on: thread), as: "good")
    let refused = Count()
    for _ in 0..<900 {
      let request = OutboundRequest(
        body: text(#"{"jsonrpc":"2.0","id":1,"method":"test.slow","params":{}}"#), metadata: text("{}"),
        deadline: .after(milliseconds: 20_000))
      flooding.send(request) { reply in
        if case .reply(_, let metadata) = reply, metadata.refused == true { refused.add() }
      }
    }
    try await until { refused.value == 850 }
    for _ in 0..<50 { _ = try await good.call(quick, Empty(), deadline: .after(milliseconds: 20_000)) }
    await thread.stop()
    await serverThread.stop()
  }
}
