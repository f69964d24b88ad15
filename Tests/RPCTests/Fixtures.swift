// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import RPC
import RPCTesting
import Synchronization
import Threading

struct EchoParams: Codable, Sendable, Equatable {
  var text: String
  var number: Int?
}

enum TestMethods {
  static let echo = Method<EchoParams, EchoParams>("test.echo", "Gives its params back", .anyone)
  static let whoami = Method<Empty, Principal>("test.whoami", "Gives the caller", .anyone)
  static let personal = Method<Empty, Empty>("test.personal", "For persons", Access(user: true))
  static let scoped = Method<Empty, Empty>("test.scoped", "For keys", Access(scopes: ["check"], roles: ["officer"]))
  static let refusing = Method<EchoParams, Empty>("test.refuse", "Refuses", .anyone, effect: .write)
  static let faulty = Method<EchoParams, Empty>("test.fault", "Throws no RPCError", .anyone, effect: .write)
  static let waiting = Method<Empty, Empty>("test.wait", "Waits for its gate", .anyone)
  static let key = Method<Empty, EchoParams>("test.key", "Gives its idempotency key", .anyone, effect: .write)
  static let knowing = Method<EchoParams, EchoParams>("test.know", "Knows what a text begins with `k`", .anyone)
}

struct SecretFault: Error { var secret: String }

/// Where waiting handlers stand until opened.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
    var next = 0
    var arrivals = 0
    var observers: [(count: Int, CheckedContinuation<Void, Never>)] = []
  }
  private let state = Lock(State())

  func pass() async throws {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let ready: [CheckedContinuation<Void, Never>] = state.withLock { state in
          if state.isOpen || Task.isCancelled {
            Task.isCancelled ? continuation.resume(throwing: CancellationError()) : continuation.resume()
            return []
          }
          state.waiting[number] = continuation
          state.arrivals += 1
          let arrivals = state.arrivals
          let ready = state.observers.filter { $0.count <= arrivals }.map(\.1)
          state.observers.removeAll { $0.count <= arrivals }
          return ready
        }
        for observer in ready { observer.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(throwing: CancellationError())
    }
  }

  /// Returns once `count` handlers have come to the gate.
  func waitForArrivals(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere: Bool = state.withLock { state in
        if state.arrivals >= count { return true }
        state.observers.append((count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      let all = state.waiting
      state.waiting = [:]
      return Array(all.values)
    }
    for continuation in waiting { continuation.resume() }
  }
}

/// A dispatcher with the test methods behind an in-process transport.
struct TestServer {
  let gate = Gate()
  let health = Health()
  let faults = Lock<[String]>([])
  let dispatcher: Dispatcher
  let transport: InProcessTransport
  let client: RPCClient

  init(peer: Peer = .local, interceptors: [any ServerInterceptor] = [], inFlight: Int = 100) {
    var router = MethodRouter()
    let gate = gate
    let faults = faults
    router.on(TestMethods.echo) { params, _ in params }
    router.on(TestMethods.whoami) { _, context in context.principal }
    router.on(TestMethods.personal) { _, _ in Empty() }
    router.on(TestMethods.scoped) { _, _ in Empty() }
    router.on(TestMethods.refusing) { _, _ in throw RPCError.failedPrecondition("not so", reason: "because") }
    router.on(TestMethods.faulty) { params, _ in throw SecretFault(secret: params.text) }
    router.on(TestMethods.waiting) { _, _ in
      try await gate.pass()
      return Empty()
    }
    router.on(TestMethods.knowing) { params, _ in
      if params.text == "kept back" { throw RPCError.failedPrecondition("not so", reason: "because") }
      if params.text == "kernel" { throw SecretFault(secret: params.text) }
      return params.text.hasPrefix("k") ? EchoParams(text: "known", number: params.number) : nil
    } else: { params, _ in
      try await gate.pass()
      return EchoParams(text: "found", number: params.number)
    }
    router.on(TestMethods.key) { _, context in EchoParams(text: context.idempotencyKey ?? "") }
    var limits = Dispatcher.Limits()
    limits.inFlight = inFlight
    dispatcher = Dispatcher(
      router, title: "test-service", interceptors: interceptors, limits: limits, health: health,
      onFailure: { method, _, error in
        if !(error is RPCError), !(error is CancellationError) { faults.withLock { $0.append(method) } }
      })
    transport = InProcessTransport(dispatcher, peer: peer)
    client = RPCClient(transport, as: "caller")
    health.setServing()
  }

  /// Sends a raw message and gives the raw reply.
  func raw(_ body: String, _ metadata: CallMetadata = CallMetadata()) async throws -> String {
    let request = OutboundRequest(
      body: Array(body.utf8), metadata: try JSON.encode(metadata), deadline: .after(milliseconds: 30_000))
    let reply = await withCheckedContinuation { continuation in
      _ = transport.send(request) { continuation.resume(returning: $0) }
    }
    switch reply {
    case .reply(let body, _): return String(decoding: body, as: UTF8.self)
    case .failed(let error): throw error
    }
  }

  /// Hands the dispatcher a message of that connection and gives its reply.
  func reply(to body: String, connection: UInt64 = 1) async -> OutboundReply {
    await withCheckedContinuation { continuation in
      receive(body, connection) { continuation.resume(returning: $0) }
    }
  }

  /// The reply if it comes at once; nil for a call that waits.
  func replyAtOnce(to body: String, connection: UInt64) -> OutboundReply? {
    let reply = Lock<OutboundReply?>(nil)
    receive(body, connection) { made in reply.withLock { $0 = made } }
    return reply.withLock { $0 }
  }

  // The transport of these messages is the test, so nothing may come through `transport` meanwhile.
  private func receive(_ body: String, _ connection: UInt64, _ reply: @escaping @Sendable (OutboundReply) -> Void) {
    Array(body.utf8).withUnsafeBytes {
      dispatcher.receive(InboundMessage(body: $0, peer: .local, connection: connection), reply: reply)
    }
  }

  func call<P, R>(_ method: Method<P, R>, _ params: P, _ metadata: CallMetadata = CallMetadata()) async throws -> R {
    try await client.call(method, params, deadline: .after(milliseconds: 30_000), metadata)
  }
}
