// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSONRPC
import RPC
@testable import RPCZeroMQ
import Threading
import ZeroMQ

/// Several echo servers, each on a thread of its own, and one client of them all.
final class Fleet: Sendable {
  struct State: Sendable {
    var isDraining = false
    /// Answers everything but health with UNAVAILABLE, as a server does at the end of its drain.
    var isRefusing = false
    var isMuted = false
    /// Answers everything but health with FAILED_PRECONDITION, as a server does whose store has to be recovered.
    var isClosed = false
  }
  struct Seen: Sendable {
    var body: [UInt8]
    var metadata: CallMetadata
    /// Milliseconds of the server's clock, which is this process's.
    var receivedAt: Int64
  }
  typealias Hook = @Sendable (Fleet, Int, Received, @escaping TestHandler.Reply) -> Bool

  let endpoints: [String]
  let client: ZeroMQClient
  private let folder: PrivateFolder
  let thread: SocketThread
  private let states: Lock<[State]>
  private let logs: Lock<[[Seen]]>
  private let servers = Lock<[Int: (SocketThread, ZeroMQServer)]>([:])
  private let hook = Lock<Hook?>(nil)

  /// Sees each request first; true: it is dealt with.
  var onReceive: Hook? {
    get { hook.withLock { $0 } }
    set { hook.withLock { $0 = newValue } }
  }

  init(_ count: Int, _ policy: ClientPolicy = ClientPolicy()) async throws {
    folder = PrivateFolder()
    let folder = folder
    endpoints = (0..<count).map { "ipc://\(folder.path)/r\($0)" }
    states = Lock(Array(repeating: State(), count: count))
    logs = Lock(Array(repeating: [], count: count))
    thread = try SocketThread()
    client = try await ZeroMQClient.connect(endpoints.joined(separator: ", "), on: thread, policy: policy)
    for index in 0..<count { try await start(index) }
  }

  func start(_ index: Int) async throws {
    let serverThread = try SocketThread()
    let handler = TestHandler { [unowned self] received, reply in receive(index, received, reply) }
    while true {
      guard let server = try? await ZeroMQServer.bind(endpoints[index], handler, on: serverThread) else {
        await Task.yield()
        continue
      }
      servers.withLock { $0[index] = (serverThread, server) }
      return
    }
  }

  private func receive(_ index: Int, _ received: Received, _ reply: @escaping TestHandler.Reply) {
    let now = MonotonicClock.milliseconds()
    logs.withLock { $0[index].append(Seen(body: received.body, metadata: received.metadata, receivedAt: now)) }
    if let hook = onReceive, hook(self, index, received, reply) { return }
    let state = states.withLock { $0[index] }
    if state.isMuted { return }
    var metadata = ReplyMetadata(instance: "r\(index)", serverNow: now)
    if state.isDraining || state.isRefusing || state.isClosed { metadata.draining = true }
    if state.isRefusing || state.isClosed, !String(decoding: received.body, as: UTF8.self).contains("rpc.") {
      metadata.refused = true
      metadata.errorCode = (state.isClosed ? ErrorCode.failedPrecondition : .unavailable).rawValue
    }
    reply(OutboundReply(body: received.body, metadata: metadata))
  }

  /// What a replica answers.
  func echo(_ body: [UInt8], of index: Int) -> OutboundReply {
    OutboundReply(body: body, metadata: ReplyMetadata(instance: "r\(index)", serverNow: MonotonicClock.milliseconds()))
  }

  /// Until every replica that should has answered a call.
  func warm() async {
    while await rotation().isEmpty { await Task.yield() }
    let before = counts
    let wanted = states.withLock { states in states.indices.filter { !states[$0].isMuted } }
    while !wanted.allSatisfy({ counts[$0] > before[$0] }) {
      _ = await client.call("warm", isIdempotent: true)
    }
  }

  func state(_ index: Int, _ change: @Sendable (inout State) -> Void) {
    states.withLock { change(&$0[index]) }
  }
  func mute(_ index: Int) { state(index) { $0.isMuted = true } }
  func isMuted(_ index: Int) -> Bool { states.withLock { $0[index].isMuted } }
  func unmute(_ index: Int) { state(index) { $0.isMuted = false } }

  func seen(by index: Int) -> [Seen] { logs.withLock { $0[index] } }
  /// Messages received, health questions not counted.
  var counts: [Int] {
    logs.withLock { logs in
      logs.map { $0.filter { !String(decoding: $0.body, as: UTF8.self).contains("rpc.") }.count }
    }
  }

  /// How often a replica was asked how it is.
  func questions(_ index: Int) -> Int {
    seen(by: index).filter { String(decoding: $0.body, as: UTF8.self).contains("rpc.health") }.count
  }

  /// How many calls were taken back.
  func cancels(_ index: Int) -> Int {
    seen(by: index).filter { String(decoding: $0.body, as: UTF8.self).contains("rpc.cancel") }.count
  }

  func rotation() async -> [String] { (try? await client.rotation()) ?? [] }

  func finish(_ index: Int) async {
    let server = servers.withLock { $0[index]?.1 }
    await server?.finish(by: .after(milliseconds: 10_000))
  }

  func kill(_ index: Int) async {
    let server = servers.withLock { $0.removeValue(forKey: index) }
    await server?.0.stop()
  }

  func restart(_ index: Int) async {
    // One that has just been bound may have got a call already.
    while servers.withLock({ $0[index] == nil }) { await Task.yield() }
    await kill(index)
    try? await start(index)
  }

  func stop() async {
    await client.close()
    for index in endpoints.indices { await kill(index) }
    await thread.stop()
    for index in endpoints.indices { unlink("\(folder.path)/r\(index)") }
  }
}
