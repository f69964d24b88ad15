// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Gateway
import Testing

/// A gateway that stops while clients go on.
@Suite(.timeLimit(.minutes(5))) struct DrainTests {
  private static let call = #"{"jsonrpc":"2.0","id":1,"method":"rpc.health"}"#

  @Test func `clients are asked to connect anew, and answered until nobody can`() async throws {
    let world = try await World(["ASSENT_DRAIN_SECONDS": "1"])
    try await world.ready()
    let (kept, idle) = (world.client(), world.client())
    for client in [kept, idle] { #expect(try await client.request("POST", "/rpc", Self.call)?.status == 200) }
    let stop = Task { await world.server.stop(grace: 5_000) }

    try await world.until { try await world.client().request("GET", "/health/ready")?.status == 503 }
    let answer = try await kept.request("POST", "/rpc", Self.call)
    #expect(answer?.status == 200)
    #expect(answer?.headers["connection"]?.lowercased() == "close")
    #expect(try await kept.receive() == nil)

    // The listener goes; a connection that has been idle is served once more.
    await world.until { !world.client().isConnected }
    let last = try await idle.request("POST", "/rpc", Self.call)
    #expect(last?.status == 200)
    #expect(last?.text.contains("draining") == false)
    await stop.value
    #expect(try await idle.receive() == nil)
  }
}
