// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import RPC
import RPCTesting
import Testing
import Threading

/// `rpc.health`: many who ask cost the services what one does.
@Suite(.timeLimit(.minutes(5))) struct HealthTests {
  /// Counts how often a service is asked for its health; while it is shut nobody gets to know it.
  private final class Gate: ClientTransport {
    private struct State {
      var isShut = false
      var asked = 0
      var waiting: [(OutboundRequest, @Sendable (InboundReply) -> Void)] = []
    }
    private let inner: any ClientTransport
    private let state = Lock(State())

    init(_ inner: any ClientTransport) { self.inner = inner }

    var asked: Int { state.withLock { $0.asked } }
    func shut() { state.withLock { $0.isShut = true } }
    func open() {
      let waiting = state.withLock { state in
        state.isShut = false
        defer { state.waiting = [] }
        return state.waiting
      }
      for (request, completion) in waiting { _ = inner.send(request, completion: completion) }
    }

    func send(_ request: OutboundRequest, completion: @escaping @Sendable (InboundReply) -> Void) -> CallToken {
      let isHeld = state.withLock { state in
        guard String(decoding: request.body, as: UTF8.self).contains("rpc.health") else { return false }
        state.asked += 1
        if state.isShut { state.waiting.append((request, completion)) }
        return state.isShut
      }
      return isHeld ? CallToken(0) : inner.send(request, completion: completion)
    }

    func cancel(_ token: CallToken) { inner.cancel(token) }
  }

  private static func world() async throws -> (World, Gate) {
    let gates = Lock<[String: Gate]>([:])
    let world = try await World(wrap: { name, transport in
      let gate = Gate(transport)
      gates.withLock { $0[name] = gate }
      return gate
    })
    try await world.ready()
    return (world, gates.withLock { $0["consent-service"]! })
  }

  private static let batch =
    "[" + (0..<100).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"rpc.health"}"# }.joined(separator: ",") + "]"

  private func statuses(_ answer: HTTPClient.Response) throws -> [String] {
    try JSON.decode([JSONValue].self, from: answer.body).map {
      $0["result"]?["services"]?["consent-service"]?.stringValue ?? "none"
    }
  }

  @Test func `a batch of a hundred asks each service once, and so do all who ask within a second`() async throws {
    let (world, gate) = try await Self.world()
    let before = gate.asked
    let began = MonotonicClock.milliseconds()
    var rounds = 0
    for _ in 0..<20 {
      #expect(try statuses(try await world.post(Self.batch)) == Array(repeating: "SERVING", count: 100))
      rounds += 1
    }
    let seconds = Int(MonotonicClock.milliseconds() - began) / 1_000
    #expect(rounds == 20 && gate.asked - before <= 1 + seconds)
  }

  @Test func `those who ask while a round is under way get its result`() async throws {
    let (world, gate) = try await Self.world()
    gate.shut()
    let before = gate.asked
    async let first = world.post(Self.batch)
    async let second = world.post(Self.batch)
    async let third = world.call("rpc.health")
    await world.until { gate.asked > before }
    // A later call: the others are there.
    _ = try await world.call("rpc.discover")
    gate.open()
    #expect(try statuses(try await first) == Array(repeating: "SERVING", count: 100))
    #expect(try statuses(try await second) == Array(repeating: "SERVING", count: 100))
    #expect(try await third.result?["status"] == "SERVING")
    #expect(gate.asked == before + 1)
  }

  @Test func `what was found is forgotten after a second`() async throws {
    let (world, gate) = try await Self.world()
    #expect(try await world.call("rpc.health").result?["services"]?["consent-service"] == "SERVING")
    world.consent.transport.setConnected(false)
    let asked = gate.asked
    try await world.until {
      try await world.call("rpc.health").result?["services"]?["consent-service"] == "NOT_SERVING"
    }
    #expect(gate.asked > asked)
  }

  @Test func `a service that hangs is not serving, and who has less time is told that it is over`() async throws {
    let (world, gate) = try await Self.world()
    gate.shut()
    async let patient = world.call("rpc.health")
    let hasty = try await world.call("rpc.health", headers: ["Assent-Timeout": "50ms"])
    #expect(hasty.code == -32004)
    gate.open()
    #expect(try await patient.result?["status"] == "SERVING")
  }

  @Test func `who hangs up while a round is under way takes nothing from the others`() async throws {
    let (world, gate) = try await Self.world()
    gate.shut()
    let before = gate.asked
    let client = world.client()
    client.send("POST", "/rpc", Self.batch)
    await world.until { gate.asked > before }
    async let patient = world.call("rpc.health")
    client.close()
    _ = try await world.call("rpc.discover")
    gate.open()
    #expect(try await patient.result?["status"] == "SERVING")
  }
}
