// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import RPC
@testable import RPCZeroMQ
import Testing
import Threading
import ZeroMQ

/// Replicas that come and go with the addresses of a name.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ResolverTests {
  /// A name whose addresses the test decides, and servers on loopback addresses of one port.
  private final class Zone: Sendable {
    let addresses = Lock<[String]>([])
    let lookUps = Count()
    let port: Int
    let thread: SocketThread
    private let servers = Lock<[String: (SocketThread, ZeroMQServer)]>([:])

    init(_ first: String) async throws {
      thread = try SocketThread()
      let serverThread = try SocketThread()
      let server = try await ZeroMQServer.bind("tcp://\(first):*", Zone.handler(first), on: serverThread)
      port = Int(server.endpoint.split(separator: ":").last!)!
      servers.withLock { $0[first] = (serverThread, server) }
    }

    /// Answers with its address.
    static func handler(_ address: String) -> TestHandler {
      TestHandler { received, reply in
        let now = MonotonicClock.milliseconds()
        reply(
          OutboundReply(body: text(address), metadata: ReplyMetadata(instance: address, serverNow: now)))
      }
    }

    func start(_ address: String, _ handler: TestHandler? = nil) async throws {
      let serverThread = try SocketThread()
      let port = port
      try await until {
        let bound = try? await ZeroMQServer.bind(
          "tcp://\(address):\(port)", handler ?? Zone.handler(address), on: serverThread)
        if let bound { servers.withLock { $0[address] = (serverThread, bound) } }
        return bound != nil
      }
    }

    func stop(_ address: String) async {
      await servers.withLock { $0.removeValue(forKey: address) }?.0.stop()
    }

    func client(interval: Int = 5_000, mostReplicas: Int = .max) async throws -> ZeroMQClient {
      var policy = ClientPolicy()
      policy.resolveInterval = interval
      policy.mostReplicas = mostReplicas
      return try await ZeroMQClient.connect("tcp://localhost:\(port)", on: thread, policy: policy) {
        [addresses, lookUps] host in
        #expect(host == "localhost")
        lookUps.add()
        return addresses.withLock { $0 }
      }
    }

    func end() async {
      for address in servers.withLock({ Array($0.keys) }) { await stop(address) }
      await thread.stop()
    }
  }

  @Test func `a name stands for all its addresses, and new ones are used when they come`() async throws {
    let zone = try await Zone("127.0.0.1")
    zone.addresses.withLock { $0 = ["127.0.0.1"] }
    let client = try await zone.client(interval: 200)
    #expect(await client.call("x").text == "127.0.0.1")
    try await zone.start("127.0.0.2")
    try await zone.start("127.0.0.3")
    zone.addresses.withLock { $0 = ["127.0.0.1", "127.0.0.2", "127.0.0.3"] }
    try await until { try await client.rotation().count == 3 }
    var seen: Set<String> = []
    while seen.count < 3 { seen.insert(await client.call("x").text ?? "") }
    #expect(seen == ["127.0.0.1", "127.0.0.2", "127.0.0.3"])
    await zone.end()
  }

  @Test func `who wants one replica stays with one, and goes to another when that is gone`() async throws {
    let zone = try await Zone("127.0.0.1")
    try await zone.start("127.0.0.2")
    try await zone.start("127.0.0.3")
    let all = ["127.0.0.1", "127.0.0.2", "127.0.0.3"]
    zone.addresses.withLock { $0 = all }
    let client = try await zone.client(interval: 200, mostReplicas: 1)
    let first = try #require(await client.call("x").text)
    let before = zone.lookUps.value
    while zone.lookUps.value < before + 3 { #expect(await client.call("x").text == first) }
    zone.addresses.withLock { $0 = all.filter { $0 != first } }
    try await until { try await client.rotation() != ["tcp://\(first):\(zone.port)"] }
    let second = try #require(await client.call("x").text)
    #expect(second != first)
    for _ in 0..<50 { #expect(await client.call("x").text == second) }
    await zone.end()
  }

  @Test func `an address that is gone gets no new calls, and finishes those it has`() async throws {
    let zone = try await Zone("127.0.0.1")
    let held = Lock<TestHandler.Reply?>(nil)
    try await zone.start(
      "127.0.0.2",
      TestHandler { received, reply in
        if received.body == text("long") {
          held.withLock { $0 = reply }
        } else {
          reply(OutboundReply(body: text("127.0.0.2")))
        }
      })
    zone.addresses.withLock { $0 = ["127.0.0.2"] }
    let client = try await zone.client(interval: 200)
    async let long = client.call("long")
    while held.withLock({ $0 == nil }) { await Task.yield() }
    zone.addresses.withLock { $0 = ["127.0.0.1"] }
    try await until { try await client.rotation() == ["tcp://127.0.0.1:\(zone.port)"] }
    for _ in 0..<50 { #expect(await client.call("x").text == "127.0.0.1") }
    held.withLock { $0 }?(OutboundReply(body: text("done")))
    #expect(await long.text == "done")
    await zone.end()
  }

  @Test func `a name that is not known for a moment costs no connection`() async throws {
    let zone = try await Zone("127.0.0.1")
    zone.addresses.withLock { $0 = ["127.0.0.1"] }
    let client = try await zone.client(interval: 200)
    #expect(await client.call("x").text == "127.0.0.1")
    zone.addresses.withLock { $0 = [] }
    let before = zone.lookUps.value
    while zone.lookUps.value < before + 2 { #expect(await client.call("x").text == "127.0.0.1") }
    await zone.end()
  }

  @Test func `all replicas gone and the name empty, then back: found within one interval`() async throws {
    let zone = try await Zone("127.0.0.1")
    zone.addresses.withLock { $0 = ["127.0.0.1"] }
    let client = try await zone.client()
    #expect(await client.call("x").text == "127.0.0.1")
    zone.addresses.withLock { $0 = [] }
    await zone.stop("127.0.0.1")
    async let waiting = client.call("x", milliseconds: 10_000, isIdempotent: true)
    let before = zone.lookUps.value
    while zone.lookUps.value < before + 2 { await Task.yield() }
    try await zone.start("127.0.0.9")
    zone.addresses.withLock { $0 = ["127.0.0.9"] }
    #expect(await waiting.text == "127.0.0.9")
    await zone.end()
  }

  @Test func `a rolling restart behind a stale name fails no call`() async throws {
    let zone = try await Zone("127.0.0.1")
    try await zone.start("127.0.0.2")
    zone.addresses.withLock { $0 = ["127.0.0.1", "127.0.0.2"] }
    let client = try await zone.client()
    try await until { try await client.rotation().count == 2 }
    let (isOver, answered) = (Count(), Count())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          while isOver.value == 0 {
            #expect(await client.call("x", isIdempotent: true).error == nil)
            answered.add()
          }
        }
      }
      // Each is replaced by one on another address; the name says so late.
      for (old, new) in [("127.0.0.1", "127.0.0.3"), ("127.0.0.2", "127.0.0.4")] {
        try await zone.start(new)
        await zone.stop(old)
        let before = answered.value
        try await until { answered.value > before + 100 }
        zone.addresses.withLock { $0 = $0.filter { $0 != old } + [new] }
        try await until { try await client.rotation().contains { $0.contains(new) } }
      }
      isOver.add()
      try await group.waitForAll()
    }
    await zone.end()
  }

  @Test func `the system's look-up knows this machine`() {
    #expect(AddressLookup.addresses("localhost").contains { $0 == "127.0.0.1" || $0 == "::1" })
    #expect(AddressLookup.addresses("no-such-host.invalid") == [])
  }

  @Test(arguments: [
    ("ipc:///a", ["ipc:///a"]), ("ipc:///a, tcp://b:1,", ["ipc:///a", "tcp://b:1"]), ("", []),
  ])
  func `several endpoints are separated by commas`(_ text: String, _ endpoints: [String]) {
    #expect(Resolver.split(text) == endpoints)
  }
}
