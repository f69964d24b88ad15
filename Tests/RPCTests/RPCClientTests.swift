// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import RPC
import RPCTesting
import Testing

@Suite struct RPCClientTests {
  @Test func aServerThatIsAwayIsUnavailableAndDidNothing() async throws {
    let server = TestServer()
    server.transport.setConnected(false)
    let error = await #expect(throws: RPCError.self) { try await server.call(TestMethods.echo, EchoParams(text: "")) }
    #expect(error?.code == .unavailable && error?.processed == .no)
    server.transport.setConnected(true)
    #expect(try await server.call(TestMethods.echo, EchoParams(text: "back")).text == "back")
  }

  @Test func aCallOnBehalfOfSomeoneCarriesTheirContext() async throws {
    let server = TestServer()
    let context = CallContext(
      principal: Principal(kind: .user, app: "shop", accountId: "maya"), requestId: "r-1",
      deadline: .after(milliseconds: 30_000), locale: "de")
    let seen = try await server.client.call(TestMethods.whoami, Empty(), for: context)
    #expect(seen == context.principal)
  }

  @Test func aCallOfItsOwnIsMadeAsTheService() async throws {
    let seen = try await TestServer().client.call(
      TestMethods.whoami, Empty(), app: "shop", deadline: .after(milliseconds: 30_000))
    #expect(seen == Principal(kind: .service, app: "shop", name: "caller"))
  }

  @Test func errorsArriveAsTheyWereThrown() async throws {
    let error = await #expect(throws: RPCError.self) {
      try await TestServer().call(TestMethods.refusing, EchoParams(text: "a"), CallMetadata(requestId: "r-7"))
    }
    #expect(error?.code == .failedPrecondition && error?.reason == "because" && error?.requestId == "r-7")
  }

  @Test func manyConcurrentCallsAreAnsweredEachWithItsOwn() async throws {
    let server = TestServer(inFlight: 2000)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<1000 {
        group.addTask {
          try await server.call(TestMethods.echo, EchoParams(text: "\(number)", number: number)).number == number
        }
      }
      for try await isOwn in group { #expect(isOwn) }
    }
  }
}
