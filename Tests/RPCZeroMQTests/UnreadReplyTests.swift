// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging
import RPC
import RPCZeroMQ
import Testing
import Threading
import ZeroMQ

/// What a server for anybody's clients keeps of replies that they do not read.
@Suite(.serialized, .timeLimit(.minutes(5))) struct UnreadReplyTests {
  /// Answers with as many bytes as the request's text says.
  private static let sizes = TestHandler { received, reply in
    let size = Int(String(decoding: received.body, as: UTF8.self)) ?? 0
    reply(OutboundReply(body: [UInt8](repeating: 7, count: size)))
  }

  private func server(
    _ transport: String, _ folder: PrivateFolder, _ handler: TestHandler, _ thread: SocketThread, bytes: Int
  ) async throws -> ZeroMQServer {
    try await ZeroMQServer.bind(
      transport == "ipc" ? folder.endpoint : "tcp://127.0.0.1:*", handler, on: thread, limits: .clients(bytes: bytes))
  }

  /// A client that takes nothing in before it is read from.
  private func dealer(_ endpoint: String, in context: Context) throws -> Socket {
    let dealer = try Socket(.dealer, in: context)
    try dealer.set(.receiveHighWaterMark, 1)
    try dealer.connect(endpoint)
    return dealer
  }

  /// Of this process, in bytes: what it has in memory of its own.
  private static func memory() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var text = [CChar](repeating: 0, count: 200)
    fgets(&text, 200, file)
    let fields = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      .split(separator: " ").compactMap { Int($0) }
    return (fields[1] - fields[2]) * 4_096
  }

  static let loads: [(String, Int)] = [("tcp", 250), ("tcp", 8_000), ("ipc", 250), ("ipc", 8_000)]
  @Test(arguments: loads) func `a client with as many calls under way as it may have reads them late, and gets all`(
    _ transport: String, _ size: Int
  ) async throws {
    let folder = PrivateFolder()
    let thread = try SocketThread()
    let calls = 2_048
    let answered = Count()
    let handler = TestHandler { received, reply in
      reply(OutboundReply(body: received.body + [UInt8](repeating: 7, count: size)))
      answered.add()
    }
    let server = try await server(transport, folder, handler, thread, bytes: 64 << 20)
    try await onThread {
      let dealer = try dealer(server.endpoint, in: Context())
      for round in 0..<2 {
        for number in 0..<calls { try dealer.sendWhenPossible([text("\(number) ")]) }
        while answered.value < (round + 1) * calls { sched_yield() }
        for number in 0..<calls {
          let reply = try dealer.receiveWhenPossible()
          #expect(reply[0].starts(with: text("\(number) ")) && reply[0].count >= size)
        }
      }
    }
    #expect(server.repliesDropped == 0)
    await thread.stop()
  }

  @Test(arguments: ["tcp", "ipc"])
  func `clients that never read take no more memory than there is, and slow nobody`(_ transport: String) async throws {
    let folder = PrivateFolder()
    let thread = try SocketThread()
    let server = try await server(transport, folder, Self.sizes, thread, bytes: 16 << 20)
    let before = Self.memory()
    try await onThread {
      let context = try Context()
      let deaf = try (0..<4).map { _ in try dealer(server.endpoint, in: context) }
      let good = try dealer(server.endpoint, in: context)
      for _ in 0..<100 {
        for dealer in deaf { try dealer.sendWhenPossible([text("1000000")]) }
        for size in [10, 5_000, 200_000] {
          try good.sendWhenPossible([text("\(size)")])
          #expect(try good.receiveWhenPossible()[0].count == size)
        }
      }
      // What is bounded: 400 MB were asked for.
      #expect(Self.memory() - before < 128 << 20)
      #expect(server.repliesDropped >= 300)
      // Once one has read what was kept for it, its calls are answered again.
      var isAnswered = false
      while !isAnswered {
        try deaf[0].sendWhenPossible([text("3")])
        while !isAnswered, let reply = try? deaf[0].receiveWhenPossible(within: 300) {
          isAnswered = reply[0].count == 3
        }
      }
    }
    await thread.stop()
  }

  @Test func `who has read nothing for a second makes room for those who need some`() async throws {
    let folder = PrivateFolder()
    let thread = try SocketThread()
    let handled = Count()
    let handler = TestHandler { received, reply in
      let size = Int(String(decoding: received.body, as: UTF8.self)) ?? 0
      reply(OutboundReply(body: [UInt8](repeating: 7, count: size)))
      handled.add()
    }
    let server = try await server("tcp", folder, handler, thread, bytes: 8 << 20)
    try await onThread {
      let context = try Context()
      // Each takes half of what the others have left, until there is next to nothing.
      let deaf = try (0..<8).map { _ in try dealer(server.endpoint, in: context) }
      for dealer in deaf { for _ in 0..<80 { try dealer.sendWhenPossible([text("100000")]) } }
      while handled.value < deaf.count * 80 { sched_yield() }
      let lost = server.repliesDropped
      #expect(lost > 0)
      // What is on its way to them comes to rest, and then the second passes.
      let full = Deadline.after(milliseconds: 2_000)
      while !full.isPast { usleep(10_000) }
      let late = try dealer(server.endpoint, in: context)
      for _ in 0..<1_000 { try late.sendWhenPossible([text("2000")]) }
      while handled.value < deaf.count * 80 + 1_000 { sched_yield() }
      for _ in 0..<1_000 { #expect(try late.receiveWhenPossible()[0].count == 2_000) }
      withExtendedLifetime(deaf) {}
    }
    await thread.stop()
  }

  @Test func `that replies were given up is counted and said, without a word of whose`() async throws {
    let folder = PrivateFolder()
    let thread = try SocketThread()
    let lines = Lock<[String]>([])
    let logger = Logger(program: "test") { line in lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) } }
    let server = try await ZeroMQServer.bind(
      folder.endpoint, Self.sizes, on: thread, limits: .clients(bytes: 2 << 20), logger: logger)
    try await onThread {
      let deaf = try dealer(server.endpoint, in: Context())
      for _ in 0..<40 { try deaf.sendWhenPossible([text("1000000")]) }
      while server.repliesDropped == 0 || lines.withLock({ $0.isEmpty }) { sched_yield() }
    }
    let line = try #require(lines.withLock { $0.first })
    #expect(
      line.contains("replies were given up") && line.contains(#""severity":"WARN""#) && line.contains(#""replies":"#))
    await thread.stop()
  }
}
