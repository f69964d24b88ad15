// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSONRPC
import RPC
import RPCZeroMQ
import Testing
import Threading
import ZeroMQ

@Suite struct ServerTests {
  @Test func `who comes in over ipc in a private folder is believed, others are not`() async throws {
    let folder = PrivateFolder()
    let thread = try SocketThread()
    let server = try await ZeroMQServer.bind(folder.endpoint, TestHandler.echo, on: thread)
    #expect(server.peer == .local)
    #expect(try await ZeroMQServer.bind("tcp://127.0.0.1:*", TestHandler.echo, on: thread).peer == .unknown)
    chmod(folder.path, 0o755)
    #expect(try await ZeroMQServer.bind("ipc://\(folder.path)/t", TestHandler.echo, on: thread).peer == .unknown)
    await thread.stop()
  }

  @Test(arguments: ["tcp://0.0.0.0:*", "tcp://*:*"])
  func `plain text is not served to other machines unless allowed`(_ endpoint: String) async throws {
    let thread = try SocketThread()
    await #expect(throws: PlaintextRefused.self) {
      try await ZeroMQServer.bind(endpoint, TestHandler.echo, on: thread)
    }
    _ = try await ZeroMQServer.bind(endpoint, TestHandler.echo, on: thread, security: .plaintext)
    await thread.stop()
  }

  @Test func `what the metadata says reaches the handler, with the hop's correlation and the connection`() async throws
  {
    let folder = PrivateFolder()
    let thread = try SocketThread()
    let seen = Lock<[Received]>([])
    let handler = TestHandler { received, reply in
      seen.withLock { $0.append(received) }
      reply(OutboundReply(body: [1]))
    }
    _ = try await ZeroMQServer.bind(folder.endpoint, handler, on: thread)
    try await onThread {
      let context = try Context()
      let dealers = try (0..<2).map { _ in try Socket(.dealer, in: context) }
      for dealer in dealers {
        try dealer.connect(folder.endpoint)
        let metadata = #"{"timeoutMs":250,"principal":{"kind":"user","app":"a","accountId":"maya"},"attempt":2}"#
        for _ in 0..<2 {
          try dealer.sendWhenPossible([text("0123456789abcdef"), text("ASNT1"), text(metadata), text("body")])
          _ = try dealer.receiveWhenPossible()
        }
      }
    }
    let received = seen.withLock { $0 }
    #expect(received.count == 4)
    #expect(received[0].metadata.timeoutMs == 250)
    #expect(received[0].metadata.principal == Principal(kind: .user, app: "a", accountId: "maya"))
    #expect(received[0].metadata.attempt == 2)
    #expect(received[0].correlation == Correlation(high: 0x3031_3233_3435_3637, low: 0x3839_6162_6364_6566))
    #expect(received[0].connection == received[1].connection)
    #expect(received[2].connection == received[3].connection)
    #expect(received[0].connection != received[2].connection)
    #expect(handler.turns.withLock { $0 } >= 1)
    await thread.stop()
  }

  @Test(arguments: ["ipc", "tcp"])
  func `ten thousand replies to a client that pauses all arrive or are counted`(_ transport: String) async throws {
    let folder = PrivateFolder()
    let thread = try SocketThread()
    let replies = Lock<[TestHandler.Reply]>([])
    let count = 10_000
    let handler = TestHandler { _, reply in replies.withLock { $0.append(reply) } }
    let server = try await ZeroMQServer.bind(
      transport == "ipc" ? folder.endpoint : "tcp://127.0.0.1:*", handler, on: thread)
    let arrived = try await onThread {
      let dealer = try Socket(.dealer, in: Context())
      try dealer.set(.receiveHighWaterMark, 10)
      try dealer.connect(server.endpoint)
      for number in 0..<count { try dealer.sendWhenPossible([text("\(number)"), text("body")]) }
      while replies.withLock({ $0.count }) < count { sched_yield() }
      // More than the client's, the kernel's and the server's queues hold.
      let body = [UInt8](repeating: 3, count: 2_000)
      // Out of the handler, which they would keep alive, and it them.
      let waiting = replies.withLock { replies in
        defer { replies = [] }
        return replies
      }
      for reply in waiting { reply(OutboundReply(body: body)) }
      var arrived: [[UInt8]] = []
      while arrived.count + server.repliesDropped < count {
        guard let message = try? dealer.receiveWhenPossible(within: 200) else { continue }
        #expect(message.last == body)
        arrived.append(message[0])
      }
      return arrived
    }
    #expect(arrived.count + server.repliesDropped == count)
    // In order, each once.
    let numbers = arrived.compactMap { Int(String(decoding: $0, as: UTF8.self)) }
    #expect(numbers == numbers.sorted() && Set(numbers).count == arrived.count)
    await thread.stop()
  }

  @Test func `a slow client delays nobody`() async throws {
    let folder = PrivateFolder()
    let thread = try SocketThread()
    let handler = TestHandler { received, reply in
      // What the slow client asks for is large.
      reply(OutboundReply(body: received.body == text("slow") ? [UInt8](repeating: 1, count: 100_000) : received.body))
    }
    let server = try await ZeroMQServer.bind(folder.endpoint, handler, on: thread)
    try await onThread {
      let context = try Context()
      let (slow, quick) = (try Socket(.dealer, in: context), try Socket(.dealer, in: context))
      try slow.set(.receiveHighWaterMark, 1)
      for dealer in [slow, quick] { try dealer.connect(folder.endpoint) }
      for _ in 0..<5_000 { try slow.sendWhenPossible([text("slow")]) }
      for number in 0..<2_000 {
        try quick.sendWhenPossible([text("\(number)")])
        #expect(try quick.receiveWhenPossible() == [text("\(number)")])
      }
      slow.close()
    }
    // The slow client has gone: what was kept for it is let go and counted.
    await server.finish(by: .after(milliseconds: 20_000))
    #expect(server.repliesDropped > 0)
    await thread.stop()
  }

  @Test func `replies from other threads go out in their order`() async throws {
    let folder = PrivateFolder()
    let thread = try SocketThread()
    let worker = Mailbox<@Sendable () -> Void>(blocking: true)
    startThread(named: "worker") {
      var work: [@Sendable () -> Void] = []
      while true {
        worker.take(into: &work)
        for body in work { body() }
        if work.count == 0 { return }
        work.removeAll(keepingCapacity: true)
      }
    }
    let handler = TestHandler { received, reply in worker.add { reply(OutboundReply(body: received.body)) } }
    _ = try await ZeroMQServer.bind(folder.endpoint, handler, on: thread)
    try await onThread {
      let dealer = try Socket(.dealer, in: Context())
      try dealer.connect(folder.endpoint)
      for number in 0..<3_000 { try dealer.sendWhenPossible([text("\(number)")]) }
      for number in 0..<3_000 { #expect(try dealer.receiveWhenPossible() == [text("\(number)")]) }
    }
    await thread.stop()
  }

  @Test func `the answer to a client that left is not given to one that takes its routing id`() async throws {
    let folder = PrivateFolder()
    let thread = try SocketThread()
    let held = Lock<[TestHandler.Reply]>([])
    let server = try await ZeroMQServer.bind(
      folder.endpoint, TestHandler { _, reply in held.withLock { $0.append(reply) } }, on: thread)
    try await onThread {
      let context = try Context()
      // libzmq would hand the late reply to whoever has the id now. Assent's clients have ids that the ROUTER makes up for
      // each connection, and take replies by their correlation only.
      for id in 0..<50 {
        let dealer = try Socket(.dealer, in: context)
        try dealer.connect(folder.endpoint)
        #expect(try dealer.get(.routingID).isEmpty)
        try dealer.sendWhenPossible([text("\(id)")])
        while held.withLock({ $0.count }) <= id { sched_yield() }
        dealer.close()
      }
    }
    for reply in held.withLock({ $0 }) { reply(OutboundReply(body: text("secret"))) }
    await server.finish(by: .after(milliseconds: 20_000))
    await thread.stop()
  }

  @Test func `finish waits for the replies that are still being made`() async throws {
    let folder = PrivateFolder()
    let thread = try SocketThread()
    let held = Lock<[TestHandler.Reply]>([])
    let server = try await ZeroMQServer.bind(
      folder.endpoint, TestHandler { _, reply in held.withLock { $0.append(reply) } }, on: thread)
    let client = try await ZeroMQClient.connect(folder.endpoint, on: SocketThread())
    async let reply = client.call("x")
    while held.withLock({ $0.isEmpty }) { await Task.yield() }
    let isFinished = Count()
    async let finished: Void = {
      await server.finish(by: .after(milliseconds: 20_000))
      isFinished.add()
    }()
    // The loop has looked, and it is not over.
    try await thread.run {}
    #expect(isFinished.value == 0)
    held.withLock { $0 }[0](OutboundReply(body: text("done")))
    await finished
    await server.close()
    #expect(await reply.text == "done")
    await thread.stop()
  }

  @Test func `finish gives up at its deadline`() async throws {
    let folder = PrivateFolder()
    let thread = try SocketThread()
    let received = Count()
    let handler = TestHandler { _, _ in received.add() }
    let server = try await ZeroMQServer.bind(folder.endpoint, handler, on: thread)
    let client = try await ZeroMQClient.connect(folder.endpoint, on: thread)
    async let reply = client.call("x", milliseconds: 300)
    while received.value == 0 { await Task.yield() }
    await server.finish(by: .after(milliseconds: 1))
    #expect(await reply.error?.code == .deadlineExceeded)
    await thread.stop()
  }
}
