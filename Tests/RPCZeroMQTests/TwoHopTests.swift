// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import RPC
import RPCZeroMQ
import Testing
import Threading
import ZeroMQ

/// A caller, a service, and a service that it calls: what passes through both hops.
@Suite(.timeLimit(.minutes(5))) struct TwoHopTests {
  static let outer = Method<Empty, Deadlines>("test.outer", "Calls the inner one", .anyone)
  static let inner = Method<Empty, Deadlines>("test.inner", "Waits, or says what it was told", .anyone)

  struct Deadlines: Codable, Sendable {
    var remaining: [Int]
  }

  /// Two real servers, each on a thread of its own, and a client of the outer one.
  private struct Chain {
    let folders = (PrivateFolder(), PrivateFolder())
    let threads: [SocketThread]
    let client: ZeroMQClient

    init(inner handler: @escaping @Sendable (CallContext) async throws -> Deadlines) async throws {
      threads = try (0..<3).map { _ in try SocketThread() }
      var router = MethodRouter()
      router.on(TwoHopTests.inner) { _, context in try await handler(context) }
      _ = try await ZeroMQServer.bind(
        folders.1.endpoint, Dispatcher(router, title: "inner"), on: threads[2])
      let next = RPCClient(try await ZeroMQClient.connect(folders.1.endpoint, on: threads[1]), as: "outer")
      router = MethodRouter()
      router.on(TwoHopTests.outer) { _, context in
        let began = context.deadline.remainingMilliseconds
        // Time spent here is not there for the next.
        try await Task.sleep(for: .milliseconds(60))
        let told = try await next.call(TwoHopTests.inner, Empty(), for: context)
        return Deadlines(remaining: [began] + told.remaining)
      }
      _ = try await ZeroMQServer.bind(
        folders.0.endpoint, Dispatcher(router, title: "outer"), on: threads[1])
      client = try await ZeroMQClient.connect(folders.0.endpoint, on: threads[0])
    }

    func stop() async { for thread in threads { await thread.stop() } }
  }

  @Test func `each hop has the time that the one before it left`() async throws {
    let chain = try await Chain { context in Deadlines(remaining: [context.deadline.remainingMilliseconds]) }
    let result = try await RPCClient(chain.client, as: "test")
      .call(TwoHopTests.outer, Empty(), deadline: .after(milliseconds: 3_000))
    #expect(result.remaining.count == 2)
    #expect(result.remaining[0] <= 3_000 && result.remaining[1] <= result.remaining[0] - 50)
    await chain.stop()
  }

  @Test func `a cancel reaches the second hop's handler, and the call ends once`() async throws {
    let (events, report) = AsyncStream.makeStream(of: String.self)
    let chain = try await Chain { _ in
      report.yield("began")
      do { try await Task.sleep(for: .seconds(60)) } catch { report.yield("cancelled") }
      return Deadlines(remaining: [])
    }
    var iterator = events.makeAsyncIterator()
    let call = Task {
      try await RPCClient(chain.client, as: "test")
        .call(TwoHopTests.outer, Empty(), deadline: .after(milliseconds: 30_000))
    }
    #expect(await iterator.next() == "began")
    call.cancel()
    #expect(await iterator.next() == "cancelled")
    let error = await #expect(throws: RPCError.self) { try await call.value }
    #expect(error?.code == .cancelled)
    await chain.stop()
  }

  @Test func `a deadline that passes ends the call at both hops`() async throws {
    let (events, report) = AsyncStream.makeStream(of: String.self)
    let chain = try await Chain { context in
      while !context.deadline.isPast { try? await Task.sleep(for: .milliseconds(5)) }
      report.yield("past")
      try context.checkAlive()
      return Deadlines(remaining: [])
    }
    let error = await #expect(throws: RPCError.self) {
      try await RPCClient(chain.client, as: "test")
        .call(TwoHopTests.outer, Empty(), deadline: .after(milliseconds: 3_000))
    }
    #expect(error?.code == .deadlineExceeded)
    var iterator = events.makeAsyncIterator()
    #expect(await iterator.next() == "past")
    await chain.stop()
  }
}
