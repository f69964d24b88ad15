// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC
internal import Tracing

/// One received message, a call or a batch of them, until it is answered. Used on the socket thread only.
final class Message {
  let isBatch: Bool
  /// Those that are not answered yet, and of a batch those that are, until all are.
  private(set) var calls: [Call] = []
  /// The one call of a message that is no batch.
  private var only: Call?
  let idempotencyKey: String?
  let timeoutMs: Int?
  let trace: TraceContext?
  let locale: String?
  let gpc: Bool
  /// What its client's address uses.
  let source: Usage
  /// Whose credential came with it; empty: a batch's members came with credentials of several apps.
  private var app: String?
  /// The client has gone: calls end, nothing is answered.
  private(set) var isAbandoned = false
  /// Of a batch: what each member answered, in order.
  private var replies: [Reply] = []
  private var missing = 0
  private var room = Message.batchReplyLimit
  private(set) var isAnswered = false
  /// Whether `RPCProxy` is starting members of it.
  var isPumping = false
  private let reply: (Answer) -> Void
  /// Its answer is kept until the client has read it.
  let staysUntilRead: Bool
  /// Of a batch: for what its members answer.
  private(set) var space: AnswerSpace?

  /// Its calls that the gateway refused without beginning them.
  var refusals = 0
  /// A refusal among them waits, however many there have been.
  var isHeldBack = false

  /// Bytes that a batch's answers may add up to.
  static let batchReplyLimit = 4 << 20

  /// - Parameter space: of a batch.
  init(_ arrival: Arrival, isBatch: Bool, space: AnswerSpace? = nil, reply: @escaping (Answer) -> Void) {
    self.isBatch = isBatch
    self.space = space
    staysUntilRead = arrival.staysUntilRead
    self.reply = reply
    idempotencyKey = arrival.idempotencyKey
    timeoutMs = arrival.timeoutMs
    trace = arrival.trace
    locale = arrival.locale
    gpc = arrival.gpc
    source = arrival.source
  }

  func expect(_ count: Int) {
    replies = Array(repeating: Reply([]), count: count)
    missing = count
  }

  func add(_ call: Call) {
    if isBatch { calls.append(call) } else { only = call }
  }

  func note(app: String) { self.app = self.app == nil || self.app == app ? app : "" }

  /// Nobody waits for the answer any more.
  /// - Returns: the calls that may still run.
  func abandon() -> [Call] {
    isAbandoned = true
    return only.map { [$0] } ?? calls
  }

  /// Ends the message: with the answer, calls and message let go of each other.
  func answer(_ answer: Answer) {
    only = nil
    calls = []
    replies = []
    space = nil
    isAnswered = true
    guard !isAbandoned else { return }
    var answer = answer
    answer.app = app
    reply(answer)
  }

  /// Takes in a member's answer.
  /// - Returns: the whole, when it was the last.
  func settle(_ index: Int, _ reply: Reply) -> Answer? {
    replies[index] = reply
    room -= reply.count
    missing -= 1
    guard missing == 0 else { return nil }
    let body = Reply.batch(replies)
    space?.shrink(to: body.count)
    return Answer(body: body, space: space)
  }

  /// Whether an answer of that size still fits.
  func fits(_ count: Int) -> Bool { count <= room }
}
