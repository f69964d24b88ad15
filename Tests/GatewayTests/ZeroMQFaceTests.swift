// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

@testable import Gateway
import Glibc
import JSONRPC
import RPC
import RPCTesting
import Testing
import Threading
import ZeroMQ

/// The same calls over ZeroMQ, from clients that know nothing of Assent.
@Suite(.timeLimit(.minutes(5))) struct ZeroMQFaceTests {
  let world: World

  init() async throws {
    world = try await World()
    try await world.ready()
  }

  private func socket(_ kind: SocketKind, in context: Context) throws -> Socket {
    let socket = try Socket(kind, in: context)
    try socket.connect(world.server.zeroMQEndpoint!)
    return socket
  }

  private func send(_ frames: [String], on socket: Socket) throws {
    for (index, frame) in frames.enumerated() {
      while try !socket.send(Array(frame.utf8), more: index < frames.count - 1) {}
    }
  }

  private func check(_ id: Int, _ token: String?, method: String = "consent.check") -> String {
    let meta = token.map { #""_meta":{"token":"\#($0)"}"# } ?? ""
    return #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":{\#(meta)}}"#
  }

  /// The frames of the next message.
  private func receive(_ socket: Socket) throws -> [String] {
    let poller = try Poller()
    try poller.replaceItems([PollItem(socket)])
    while true {
      if let frames = try socket.receive() { return frames.map { String(decoding: $0, as: UTF8.self) } }
      try poller.poll(timeout: 1000)
    }
  }

  static let routes: [(SocketKind, [String])] = [
    (.req, []), (.dealer, []), (.dealer, [""]), (.dealer, ["correlation", ""]),
  ]
  @Test(arguments: routes) func frames(_ kind: SocketKind, _ route: [String]) async throws {
    try await offPool { [self] in

      let context = try Context()
      let socket = try socket(kind, in: context)
      defer { socket.close() }
      try send(route + [check(7, world.person)], on: socket)
      #expect(try receive(socket) == route + [#"{"jsonrpc":"2.0","id":7,"result":{"method":"consent.check"}}"#])
      #expect(world.consent.calls.first?.context.principal.accountId == "maya")
      #expect(world.consent.calls.first?.params == [:])
    }
  }

  @Test func metadataCarriesTheCredentialAndComesBack() async throws {
    try await offPool { [self] in

      let context = try Context()
      let socket = try socket(.dealer, in: context)
      defer { socket.close() }
      let metadata = #"{"authorization":"Bearer \#(world.checker)","timeoutMs":900,"locale":"de","gpc":true}"#
      try send(["c", "ASNT1", metadata, check(1, nil)], on: socket)
      let reply = try receive(socket)
      #expect(reply.count == 4 && reply[0] == "c" && reply[1] == "ASNT1" && reply[2].hasPrefix("{"))
      let seen = try #require(world.consent.calls.first)
      #expect(seen.context.principal.name == "checker" && seen.context.locale == "de" && seen.context.gpc)
      #expect(seen.context.deadline.remainingMilliseconds <= 900)
    }
  }

  @Test func aClientsPrincipalIsRefused() async throws {
    try await offPool { [self] in

      let context = try Context()
      let socket = try socket(.dealer, in: context)
      defer { socket.close() }
      let metadata = #"{"principal":{"kind":"user","app":"default","accountId":"maya"}}"#
      try send(["ASNT1", metadata, check(1, world.person)], on: socket)
      let reply = try receive(socket)
      #expect(reply[1].contains(#""errorCode":-32007"#))
      #expect(reply[2].contains("principalRefused"))
      #expect(world.consent.calls.isEmpty)
    }
  }

  @Test func aCallIsTakenBackByItsIdOnItsConnectionOnly() async throws {
    try await offPool { [self] in

      let cancelled = Lock(false)
      world.consent.on("consent.history") { _, _ in
        do { try await Task.sleep(for: .seconds(60)) } catch { cancelled.withLock { $0 = true } }
        return [:]
      }
      let context = try Context()
      let socket = try socket(.dealer, in: context)
      let other = try self.socket(.dealer, in: context)
      defer {
        socket.close()
        other.close()
      }
      try send([check(5, world.person, method: "consent.history")], on: socket)
      while world.consent.calls.isEmpty { sched_yield() }
      let cancel = #"{"jsonrpc":"2.0","id":6,"method":"rpc.cancel","params":{"id":5}}"#
      try send([cancel], on: other)
      #expect(try receive(other) == [#"{"jsonrpc":"2.0","id":6,"result":{"found":false}}"#])
      try send([cancel], on: socket)
      let replies = [try receive(socket)[0], try receive(socket)[0]].sorted()
      #expect(replies[0].contains(#""id":5,"error":{"code":-32001"#))
      #expect(replies[1] == #"{"jsonrpc":"2.0","id":6,"result":{"found":true}}"#)
      while !cancelled.withLock({ $0 }) { sched_yield() }
    }
  }
}
