// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSONRPC
import RPC
import RPCZeroMQ
import Testing
import Threading
import ZeroMQ

@Suite struct ClientTests {
  @Test func `a call gets its reply and the reply's metadata`() async throws {
    let folder = PrivateFolder()
    let thread = try SocketThread()
    _ = try await ZeroMQServer.bind(folder.endpoint, TestHandler.echo, on: thread)
    let client = try await ZeroMQClient.connect(folder.endpoint, on: thread)
    let reply = await client.call("body")
    #expect(reply.text == "re:body")
    guard case .reply(_, let metadata) = reply else { return }
    #expect(metadata.instance == "i1" && metadata.serverNow != nil)
    await thread.stop()
  }

  @Test func `the metadata says how long the caller waits, and from the first reply on when that ends`() async throws {
    let folder = PrivateFolder()
    let thread = try SocketThread()
    let seen = Lock<[CallMetadata]>([])
    let handler = TestHandler { received, reply in
      seen.withLock { $0.append(received.metadata) }
      // A server whose clock is an hour ahead.
      reply(
        OutboundReply(
          body: [1], metadata: ReplyMetadata(instance: "x", serverNow: MonotonicClock.milliseconds() + 3_600_000)))
    }
    _ = try await ZeroMQServer.bind(folder.endpoint, handler, on: thread)
    let client = try await ZeroMQClient.connect(folder.endpoint, on: thread)
    let before = MonotonicClock.milliseconds()
    _ = await client.call("1", milliseconds: 5_000, metadata: #"{"locale":"de"}"#)
    _ = await client.call("2", milliseconds: 5_000)
    let metadata = seen.withLock { $0 }
    #expect(metadata[0].locale == "de")
    #expect((1...5_000).contains(metadata[0].timeoutMs ?? 0))
    #expect(metadata[0].expiresAt == nil)
    let expiresAt = try #require(metadata[1].expiresAt) - 3_600_000
    #expect(expiresAt >= before + 4_000 && expiresAt <= MonotonicClock.milliseconds() + 5_000)
    await thread.stop()
  }

  @Test func `a call that is not answered ends at its deadline, and its late reply is ignored`() async throws {
    let folder = PrivateFolder()
    let thread = try SocketThread()
    let late = Lock<[TestHandler.Reply]>([])
    let handler = TestHandler { received, reply in
      if received.body == text("late") { late.withLock { $0.append(reply) } } else { reply(OutboundReply(body: [1])) }
    }
    _ = try await ZeroMQServer.bind(folder.endpoint, handler, on: thread)
    let client = try await ZeroMQClient.connect(folder.endpoint, on: thread)
    _ = await client.call("warm")
    // Long enough that it is sent on a busy machine.
    let error = await client.call("late", milliseconds: 700).error
    #expect(error?.code == .deadlineExceeded)
    #expect(error?.processed == .unknown)
    for reply in late.withLock({ $0 }) { reply(OutboundReply(body: text("too late"))) }
    #expect(await client.call("next").text == "\u{1}")
    await thread.stop()
  }

  @Test(arguments: ["ipc:///tmp/assent-nobody-here", "tcp://127.0.0.1:1"])
  func `without a server a call ends at its deadline and was not processed`(_ endpoint: String) async throws {
    let thread = try SocketThread()
    let client = try await ZeroMQClient.connect(endpoint, on: thread)
    let error = await client.call("x", milliseconds: 30).error
    #expect(error?.code == .unavailable)
    #expect(error?.reason == "notConnected")
    #expect(error?.processed == .no)
    #expect(error?.retryable == true)
    await thread.stop()
  }

  @Test func `a call waits for a server that comes`() async throws {
    let folder = PrivateFolder()
    let thread = try SocketThread()
    let client = try await ZeroMQClient.connect(folder.endpoint, on: thread)
    async let reply = client.call("early")
    try await thread.run {}
    _ = try await ZeroMQServer.bind(folder.endpoint, TestHandler.echo, on: thread)
    #expect(await reply.text == "re:early")
    await thread.stop()
  }

  @Test func `a deadline that has passed is refused before anything is sent`() async throws {
    let thread = try SocketThread()
    let client = try await ZeroMQClient.connect("ipc:///tmp/assent-nobody-here", on: thread)
    let error = await client.call("x", milliseconds: 0).error
    #expect(error?.code == .deadlineExceeded)
    #expect(error?.processed == .no)
    await thread.stop()
  }

  @Test(arguments: ["ipc", "tcp"])
  func `a lost connection fails what was sent at once, as unknown`(_ transport: String) async throws {
    let folder = PrivateFolder()
    let (thread, serverThread) = (try SocketThread(), try SocketThread())
    let received = Count()
    let server = try await ZeroMQServer.bind(
      transport == "ipc" ? folder.endpoint : "tcp://127.0.0.1:*",
      TestHandler { _, _ in received.add() }, on: serverThread)
    let client = try await ZeroMQClient.connect(server.endpoint, on: thread)
    async let first = client.call("1")
    async let second = client.call("2")
    while received.value < 2 { await Task.yield() }
    await server.close()
    for error in [await first.error, await second.error] {
      #expect(error?.code == .unavailable)
      #expect(error?.reason == "connectionLost")
      #expect(error?.processed == .unknown)
    }
    await thread.stop()
    await serverThread.stop()
  }

  @Test(arguments: ["ipc", "tcp"])
  func `a server that restarts under load loses no call silently`(_ transport: String) async throws {
    let folder = PrivateFolder()
    let (thread, serverThread) = (try SocketThread(), try SocketThread())
    var server = try await ZeroMQServer.bind(
      transport == "ipc" ? folder.endpoint : "tcp://127.0.0.1:*", TestHandler.echo, on: serverThread)
    let endpoint = server.endpoint
    let client = try await ZeroMQClient.connect(endpoint, on: thread)
    let isOver = Count()
    let (answered, failed) = (Count(), Lock<[RPCError]>([]))
    await withTaskGroup(of: Void.self) { group in
      for caller in 0..<32 {
        group.addTask {
          var number = 0
          while isOver.value == 0 {
            number += 1
            let reply = await client.call("\(caller).\(number)")
            if let error = reply.error {
              failed.withLock { $0.append(error) }
            } else {
              #expect(reply.text == "re:\(caller).\(number)")
              answered.add()
            }
          }
        }
      }
      for _ in 0..<5 {
        let before = answered.value
        while answered.value < before + 200 { await Task.yield() }
        await server.close()
        while true {
          // The port is free once libzmq's reaper has closed it.
          if let again = try? await ZeroMQServer.bind(endpoint, TestHandler.echo, on: serverThread) {
            server = again
            break
          }
          await Task.yield()
        }
      }
      let before = answered.value
      while answered.value < before + 200 { await Task.yield() }
      isOver.add()
    }
    // Every call has ended, or the group would not have. None waited for its deadline.
    for error in failed.withLock({ $0 }) {
      #expect(error.reason == "connectionLost")
      #expect(error.processed == .unknown)
    }
    await thread.stop()
    await serverThread.stop()
  }

  @Test(arguments: [1, 2, 3, 100, 250])
  func `replies that came before the connection was lost count, read late and all at once`(_ count: Int) async throws {
    let folder = PrivateFolder()
    let thread = try SocketThread()
    let client = try await ZeroMQClient.connect(folder.endpoint, on: thread)
    let gate = WakeEvent(blocking: true)
    let replies = Lock<[InboundReply]>([])
    for number in 0..<count {
      let request = OutboundRequest(
        body: text("\(number)"), metadata: text("{}"), deadline: .after(milliseconds: 20_000))
      client.send(request) { reply in replies.withLock { $0.append(reply) } }
    }
    try await onThread {
      let context = try Context()
      let router = try Socket(.router, in: context)
      try router.bind(folder.endpoint)
      let requests = try (0..<count).map { _ in try router.receiveWhenPossible() }
      // Nothing is read while the replies come in and the connection goes.
      thread.perform { gate.clear() }
      for request in requests { try router.sendWhenPossible(Array(request.dropLast()) + [text("reply")]) }
    }
    gate.signal()
    while replies.withLock({ $0.count }) < count { await Task.yield() }
    #expect(replies.withLock { $0.map(\.text) } == Array(repeating: "reply", count: count))
    await thread.stop()
  }

  @Test func `a hundred concurrent senders all get their own replies`() async throws {
    let folder = PrivateFolder()
    let (thread, serverThread) = (try SocketThread(), try SocketThread())
    _ = try await ZeroMQServer.bind(folder.endpoint, TestHandler.echo, on: serverThread)
    let client = try await ZeroMQClient.connect(folder.endpoint, on: thread)
    await withTaskGroup(of: Void.self) { group in
      for sender in 0..<100 {
        group.addTask {
          for number in 0..<50 { #expect(await client.call("\(sender).\(number)").text == "re:\(sender).\(number)") }
        }
      }
    }
    await thread.stop()
    await serverThread.stop()
  }

  @Test func `a burst beyond the limit is refused call by call, and the rest is answered`() async throws {
    let folder = PrivateFolder()
    let (thread, serverThread) = (try SocketThread(), try SocketThread())
    _ = try await ZeroMQServer.bind(folder.endpoint, TestHandler.echo, on: serverThread)
    let client = try await ZeroMQClient.connect(folder.endpoint, on: thread, policy: .calls(500))
    let (answered, refused) = (Count(), Count())
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<10_000 {
        group.addTask {
          let reply = await client.call("\(number)")
          if reply.text == "re:\(number)" { answered.add() }
          if let error = reply.error {
            #expect(error.reason == "tooManyCalls" && error.processed == .no)
            refused.add()
          }
        }
      }
    }
    #expect(answered.value + refused.value == 10_000)
    #expect(answered.value >= 500)
    await thread.stop()
    await serverThread.stop()
  }

  @Test func `a cancelled call ends once, the server is told which, and its reply is ignored`() async throws {
    let folder = PrivateFolder()
    let (thread, serverThread) = (try SocketThread(), try SocketThread())
    let requests = Lock<[(Received, TestHandler.Reply)]>([])
    let handler = TestHandler { received, reply in requests.withLock { $0.append((received, reply)) } }
    _ = try await ZeroMQServer.bind(folder.endpoint, handler, on: serverThread)
    let client = try await ZeroMQClient.connect(folder.endpoint, on: thread)
    let outcomes = Lock<[InboundReply]>([])
    let request = OutboundRequest(body: text("x"), metadata: text("{}"), deadline: .after(milliseconds: 20_000))
    let token = client.send(request) { reply in outcomes.withLock { $0.append(reply) } }
    while requests.withLock({ $0.isEmpty }) { await Task.yield() }
    client.cancel(token)
    client.cancel(token)
    while requests.withLock({ $0.count }) < 2 { await Task.yield() }
    let (call, cancel) = requests.withLock { ($0[0], $0[1]) }
    let correlation = try #require(call.0.correlation)
    #expect(
      String(decoding: cancel.0.body, as: UTF8.self)
        == #"{"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":"\#(correlation.hexadecimal)"}}"#)
    #expect(cancel.0.connection == call.0.connection)
    cancel.1(OutboundReply(body: []))
    call.1(OutboundReply(body: text("late")))
    async let next = client.call("next")
    while requests.withLock({ $0.count }) < 3 { await Task.yield() }
    requests.withLock { $0[2] }.1(OutboundReply(body: text("fine")))
    #expect(await next.text == "fine")
    let all = outcomes.withLock { $0 }
    #expect(all.count == 1)
    #expect(all[0].error?.code == .cancelled)
    #expect(all[0].error?.processed == .unknown)
    await thread.stop()
    await serverThread.stop()
  }

  @Test func `a cancel right behind its request takes effect`() async throws {
    let thread = try SocketThread()
    let client = try await ZeroMQClient.connect("ipc:///tmp/assent-nobody-here", on: thread)
    let error: RPCError? = await withCheckedContinuation { continuation in
      let request = OutboundRequest(body: [1], metadata: text("{}"), deadline: .after(milliseconds: 30_000))
      client.cancel(client.send(request) { continuation.resume(returning: $0.error) })
    }
    #expect(error?.code == .cancelled)
    #expect(error?.processed == .no)
    await thread.stop()
  }

  @Test(arguments: [
    (1 << 20, "{}", "messageTooLarge"), (1, "{" + String(repeating: " ", count: 8_192), "metadataTooLarge"),
    (1, "", "metadataTooLarge"),
  ])
  func `what is too large is refused with its size, not sent`(_ count: Int, _ metadata: String, _ reason: String)
    async throws
  {
    let thread = try SocketThread()
    let client = try await ZeroMQClient.connect("ipc:///tmp/assent-nobody-here", on: thread)
    let error = await client.call(String(repeating: "x", count: count), metadata: metadata).error
    #expect(error?.code == .invalidRequest)
    #expect(error?.reason == reason)
    await thread.stop()
  }

  @Test func `a reply with another correlation answers nothing`() async throws {
    let folder = PrivateFolder()
    let thread = try SocketThread()
    let client = try await ZeroMQClient.connect(folder.endpoint, on: thread)
    async let reply = client.call("x")
    try await onThread {
      let router = try Socket(.router, in: Context())
      try router.bind(folder.endpoint)
      let request = try router.receiveWhenPossible()
      var forged = request[1]
      for index in 0..<14 {
        forged[index] ^= 1
        try router.sendWhenPossible([request[0], forged, text("forged")])
        forged[index] ^= 1
      }
      try router.sendWhenPossible([request[0], text("forged")])
      try router.sendWhenPossible([request[0], [], text("forged")])
      try router.sendWhenPossible([request[0], request[1], text("true")])
      while try router.send(frames: [request[0], request[1], text("twice")]) == false {}
    }
    #expect(await reply.text == "true")
    await thread.stop()
  }

  @Test func `closing fails what is under way and what comes later`() async throws {
    let thread = try SocketThread()
    let client = try await ZeroMQClient.connect("ipc:///tmp/assent-nobody-here", on: thread)
    async let before = client.call("x")
    try await thread.run {}
    await client.close()
    let early = await before.error
    #expect(early == nil || early?.reason == "closed")
    #expect(await client.call("x").error?.reason == "closed")
    await thread.stop()
    #expect(await client.call("x").error?.reason == "closed")
  }

  @Test func `ten thousand timed-out calls leave nothing behind`() async throws {
    let thread = try SocketThread()
    let client = try await ZeroMQClient.connect("ipc:///tmp/assent-nobody-here", on: thread, policy: .calls(20_000))
    func openDescriptors() -> Int {
      var count = 0
      let folder = opendir("/proc/self/fd")!
      while readdir(folder) != nil { count += 1 }
      closedir(folder)
      return count
    }
    let before = openDescriptors()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<10_000 { group.addTask { #expect(await client.call("x", milliseconds: 5).error != nil) } }
    }
    // Tests beside this one open descriptors too, and close them; a leak would stay.
    let end = Deadline.after(milliseconds: 30_000)
    while openDescriptors() > before + 500, !end.isPast { try await Task.sleep(for: .milliseconds(20)) }
    #expect(openDescriptors() <= before + 500)
    await thread.stop()
  }
}
