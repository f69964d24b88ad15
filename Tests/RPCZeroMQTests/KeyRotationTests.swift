// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import RPC
import RPCZeroMQ
import Testing
import Threading
import ZeroMQ

/// Keys change while programs run.
@Suite struct KeyRotationTests {
  /// Calls without a pause, eight at a time, until it is told to stop; keeps what failed.
  final class Load: Sendable {
    let answered = Count()
    let failures = Lock<[String]>([])
    private let isStopped = Lock(false)

    func run(_ client: ZeroMQClient) async {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask { [self] in
            while !isStopped.withLock({ $0 }) {
              let reply = await client.call("call")
              if reply.text == "re:call" {
                answered.add()
              } else {
                failures.withLock { $0.append("\(reply)") }
              }
            }
          }
        }
      }
    }

    func stop() { isStopped.withLock { $0 = true } }

    /// Until it has been answered some hundred times more.
    func goOn() async throws {
      let goal = answered.value + 300
      try await until { self.answered.value >= goal || !self.failures.withLock { $0.isEmpty } }
    }
  }

  /// Serves `server`'s keys and calls it as `gateway`, changes keys by `change`, and expects that no call fails.
  private func loaded(
    grace: Int64 = 60_000, _ change: (Keys, Load, _ newServer: String, RecordedPeers) async throws -> Void
  ) async throws {
    let keys = try Keys()
    let peers = RecordedPeers()
    let server = try await Program("server", keys, .service, grace: grace)
    let handler = TestHandler { received, reply in
      peers.add("\(received.peer)")
      reply(OutboundReply(body: text("re:") + received.body))
    }
    let endpoint = try await server.serve(handler).endpoint
    let program = try await Program("gateway", keys)
    let client = try await program.client(of: endpoint)
    let load = Load()
    async let running: Void = load.run(client)
    defer { load.stop() }
    try await load.goOn()
    try await change(keys, load, endpoint, peers)
    try await load.goOn()
    load.stop()
    await running
    #expect(load.failures.withLock { $0 } == [])
    await program.thread.stop()
    await server.thread.stop()
  }

  @Test func `a server changes its pair under load without a failed call, and the old one ends`() async throws {
    try await loaded(grace: 500) { keys, load, endpoint, _ in
      let new = try CurveKeyPair.generate()
      // First whoever calls learns of it, then the server uses it, then the old one is forgotten.
      keys.write(peers: [("\(Keys.serverRole)", new), ("\(Keys.serverRole)", keys.server)], of: "gateway")
      try await load.goOn()
      keys.write(keys: [new, keys.server], of: "server")
      try await load.goOn()
      keys.write(peers: [("\(Keys.serverRole)", new)], of: "gateway")
      keys.write(keys: [new], of: "server")
      // Whoever knows only the old key gets in no more once its time is over.
      try await until {
        let late = try await Program("service", keys)
        let isIn = try await late.client(of: endpoint).call("late", milliseconds: 300).text != nil
        await late.thread.stop()
        return !isIn
      }
    }
  }

  @Test func `a server that changes its pair at one stroke keeps those who knew it before`() async throws {
    try await loaded { keys, load, _, _ in
      let new = try CurveKeyPair.generate()
      keys.write(peers: [("\(Keys.serverRole)", new), ("\(Keys.serverRole)", keys.server)], of: "gateway")
      keys.write(keys: [new], of: "server")
      try await load.goOn()
    }
  }

  @Test func `a client changes its pair under load without a failed call`() async throws {
    try await loaded { keys, load, _, peers in
      let new = try CurveKeyPair.generate()
      // The new pair is listed with another role, so that its arrival is seen.
      keys.write(peers: [("gateway", keys.gateway), ("service:new", new)], of: "server")
      try await load.goOn()
      keys.write(keys: [new], of: "gateway")
      try await until { peers.all.contains(#"service("new")"#) }
      keys.write(peers: [("service:new", new)], of: "server")
      try await load.goOn()
    }
  }

  final class RecordedPeers: Sendable {
    private let peers = Lock<Set<String>>([])
    func add(_ peer: String) { peers.withLock { _ = $0.insert(peer) } }
    var all: Set<String> { peers.withLock { $0 } }
  }

  @Test func `a key that is listed later gets in without a restart`() async throws {
    let keys = try Keys()
    let server = try await Program("server", keys, .service)
    let endpoint = try await server.serve(TestHandler.echo).endpoint
    let program = try await Program("stranger", keys)
    let client = try await program.client(of: endpoint)
    #expect(await client.call("early", milliseconds: 300).error?.reason == "notConnected")
    keys.write(peers: [("gateway", keys.stranger)], of: "server")
    #expect(await client.call("later").text == "re:later")
    await program.thread.stop()
    await server.thread.stop()
  }

  @Test func `a server whose key is listed later is reached without a restart`() async throws {
    let keys = try Keys()
    keys.write(peers: [], of: "gateway")
    let server = try await Program("server", keys, .service)
    let endpoint = try await server.serve(TestHandler.echo).endpoint
    let program = try await Program("gateway", keys)
    let client = try await program.client(of: endpoint)
    #expect(await client.call("early", milliseconds: 300).error?.reason == "notConnected")
    keys.write(peers: [("\(Keys.serverRole)", keys.server)], of: "gateway")
    #expect(await client.call("later").text == "re:later")
    await program.thread.stop()
    await server.thread.stop()
  }

  @Test(arguments: ["taken off the list", "listed as another"])
  func `a connection whose key is no longer what it was is not answered by the handler`(_ change: String) async throws {
    let keys = try Keys()
    let server = try await Program("server", keys, .service)
    let endpoint = try await server.serve(CurveTests.whoami).endpoint
    let program = try await Program("gateway", keys)
    let client = try await program.client(of: endpoint)
    #expect(await client.call("who").text == "gateway")
    keys.write(
      peers: change == "listed as another" ? [("operator", keys.gateway)] : [("gateway", keys.stranger)], of: "server")
    try await until { await client.call("who").text?.contains("keyRemoved") ?? false }
    await program.thread.stop()
    await server.thread.stop()
  }

  @Test func `a server whose key is taken off the list is left`() async throws {
    let keys = try Keys()
    let server = try await Program("server", keys, .service)
    let endpoint = try await server.serve(TestHandler.echo).endpoint
    let program = try await Program("gateway", keys)
    let client = try await program.client(of: endpoint)
    #expect(await client.call("1").text == "re:1")
    keys.write(peers: [("\(Keys.serverRole)", keys.stranger)], of: "gateway")
    try await until { await client.call("2", milliseconds: 300).error?.reason == "notConnected" }
    await program.thread.stop()
    await server.thread.stop()
  }

  @Test func `files that cannot be used leave the keys as they were`() async throws {
    let keys = try Keys()
    let server = try await Program("server", keys, .service)
    let endpoint = try await server.serve(TestHandler.echo).endpoint
    let program = try await Program("gateway", keys)
    let client = try await program.client(of: endpoint)
    #expect(await client.call("1").text == "re:1")
    keys.put("gateway nonsense\n", "server.peers")
    keys.put("", "server.key")
    let late = try await Program("service", keys)
    #expect(try await late.client(of: endpoint).call("2").text == "re:2")
    #expect(await client.call("3").text == "re:3")
    for program in [late, program, server] { await program.thread.stop() }
  }

  @Test(arguments: [
    ("", "holds no key"), ("secret x", "line 1: the key is not 40 characters"), ("# a\n\nsecret", "line 3: must be"),
    ("public \(String(repeating: "0", count: 40))", "line 1: not the public half"), ("key abc", "line 1: must be"),
  ])
  func `a key file that is no good is told by its line, without its contents`(_ text: String, _ problem: String) {
    let error = #expect(throws: KeyFileError.self) { try KeyPairFile.pairs(in: text, path: "k") }
    #expect(error?.description.contains(problem) == true)
  }

  @Test(arguments: [
    ("gateway", "line 1: must be ROLE KEY"), ("root \(zeros)", "line 1: must be"), ("service: \(zeros)", "must be"),
    ("gateway abc", "line 1: the key is not"),
    ("gateway \(zeros)\n# x\noperator \(zeros)", "line 3: this key is also listed as gateway"),
    ("service:a/b \(zeros)", "must be"), ("gateway \(zeros) more", "must be"),
  ])
  func `a peers file that is no good is told by its line`(_ text: String, _ problem: String) {
    let error = #expect(throws: KeyFileError.self) { try PeerList(text, path: "p") }
    #expect(error?.description.contains(problem) == true)
  }

  @Test func `a role's keys keep their order`() throws {
    let (a, b) = (try CurveKeyPair.generate().publicKey, try CurveKeyPair.generate().publicKey)
    let list = try PeerList("gateway \(b)\n# note\n\ngateway \(a)\r\ngateway \(b)\n", path: "p")
    #expect(list.keys(of: .gateway) == [b, a])
    #expect(list.keys(of: .operator) == [])
  }
}

private let zeros = String(repeating: "0", count: 40)
