// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSONRPC
import RPC
import RPCZeroMQ
import Threading
import ZeroMQ

/// A request as a test's handler gets it, copied.
struct Received: Sendable {
  var body: [UInt8]
  var metadata: CallMetadata
  var metadataError: RPCError?
  var peer: Peer
  var connection: UInt64
  var correlation: Correlation?
}

/// A handler made of a closure; counts turns.
final class TestHandler: MessageHandler {
  typealias Reply = @Sendable (OutboundReply) -> Void
  private let body: @Sendable (Received, @escaping Reply) -> Void
  let turns = Lock(0)

  init(_ body: @escaping @Sendable (Received, @escaping Reply) -> Void) { self.body = body }

  func receive(_ message: InboundMessage, reply: @escaping Reply) {
    let received = Received(
      body: Array(message.body), metadata: message.metadata, metadataError: message.metadataError, peer: message.peer,
      connection: message.connection, correlation: message.correlation)
    body(received, reply)
  }

  func turnEnded() { turns.withLock { $0 += 1 } }

  /// Answers `re:` and the body; nothing to bodies that begin with `notify`; errors in the metadata with their reason.
  static let echo = TestHandler { received, reply in
    let metadata = ReplyMetadata(instance: "i1", serverNow: MonotonicClock.milliseconds())
    let body: [UInt8]
    if let error = received.metadataError {
      body = text(error.reason)
    } else {
      body = received.body.starts(with: text("notify")) ? [] : text("re:") + received.body
    }
    reply(OutboundReply(body: body, metadata: metadata))
  }
}

/// A folder that only this user may enter, removed when released.
final class PrivateFolder: Sendable {
  let path: String
  init() {
    var template = Array("/tmp/assent-test-XXXXXX".utf8CString)
    mkdtemp(&template)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
  deinit {
    for name in ["s", "t"] { unlink("\(path)/\(name)") }
    rmdir(path)
  }
  var endpoint: String { "ipc://\(path)/s" }
}

/// Runs blocking code, such as raw sockets that must stay on one thread, on a thread of its own.
func onThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
  try await withCheckedThrowingContinuation { continuation in
    startThread(named: "test") { continuation.resume(with: Result(catching: body)) }
  }
}

/// Counts from any thread.
final class Count: Sendable {
  private let count = Lock(0)
  var value: Int { count.withLock { $0 } }
  @discardableResult
  func add() -> Int {
    count.withLock {
      $0 += 1
      return $0
    }
  }
}

struct NothingCame: Error {}

extension Socket {
  func receiveWhenPossible(within milliseconds: Int = 20_000) throws -> [[UInt8]] {
    let poller = try Poller()
    try poller.replaceItems([PollItem(self)])
    let end = Deadline.after(milliseconds: milliseconds)
    while !end.isPast {
      if let message = try receive() { return message }
      try poller.poll(timeout: end.remainingMilliseconds)
    }
    throw NothingCame()
  }

  func sendWhenPossible(_ frames: [[UInt8]], within milliseconds: Int = 20_000) throws {
    let poller = try Poller()
    try poller.replaceItems([PollItem(self, .writable)])
    let end = Deadline.after(milliseconds: milliseconds)
    while !end.isPast {
      if try send(frames: frames) { return }
      try poller.poll(timeout: end.remainingMilliseconds)
    }
    throw NothingCame()
  }
}

extension ZeroMQClient {
  func call(
    _ body: String, milliseconds: Int = 20_000, metadata: String = "{}", isIdempotent: Bool = false,
    profile: MethodProfile? = nil
  ) async -> InboundReply {
    await withCheckedContinuation { continuation in
      let request = OutboundRequest(
        body: text(body), metadata: text(metadata), deadline: .after(milliseconds: milliseconds),
        isIdempotent: isIdempotent, profile: profile)
      send(request) { continuation.resume(returning: $0) }
    }
  }
}

extension InboundReply {
  var text: String? {
    if case .reply(let body, _) = self { return String(decoding: body, as: UTF8.self) }
    return nil
  }
  var error: RPCError? { if case .failed(let error) = self { error } else { nil } }
  /// What kind of error a server's reply says it holds.
  var errorCode: Int? { if case .reply(_, let metadata) = self { metadata.errorCode } else { nil } }
}

func text(_ text: String) -> [UInt8] { Array(text.utf8) }

/// Waits until `condition` holds.
func until(within milliseconds: Int = 20_000, _ condition: () async throws -> Bool) async throws {
  let end = Deadline.after(milliseconds: milliseconds)
  while try await !condition() {
    guard !end.isPast else { throw NothingCame() }
    try await Task.sleep(for: .milliseconds(5))
  }
}

extension ClientPolicy {
  static func calls(_ limit: Int) -> ClientPolicy {
    var policy = ClientPolicy()
    policy.callsPerReplica = limit
    return policy
  }
}
