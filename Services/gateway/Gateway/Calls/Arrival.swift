// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC
internal import Tracing

/// What came with a message besides its body: HTTP headers, or a metadata frame. Of nothing in it a service gets more
/// than was checked here.
struct Arrival {
  /// The credential's text, without `Bearer`. Good during the message's receipt only.
  var credential: UnsafeRawBufferPointer?
  /// What is wrong with what came: every call of the message is refused with it.
  var problem: RPCError?
  var idempotencyKey: String?
  var timeoutMs: Int?
  var trace: TraceContext?
  /// The client's own name for its calls.
  var requestId: String?
  var locale: String?
  var gpc = false
  /// Came by an operator's CURVE key, which is worth a credential.
  var isOperator = false
  /// Names the client towards the failure limit.
  var address: () -> String
  /// Its answer is kept here until the client has read it.
  var staysUntilRead = false
  /// What its address uses of the gateway.
  let source: Usage
}

/// What goes back for a message.
struct Answer {
  /// Empty: there is nothing to say, the message held notifications only.
  var body: [UInt8]
  /// Of a single call that failed, or of a message that was refused whole.
  var errorCode: Int?
  var retryAfterMs: Int?
  /// Whose credential the message came with, see `Message.note(app:)`.
  var app: String?
  /// What the body takes of the room for answers; nil: it is small, or goes elsewhere at once.
  var space: AnswerSpace?
}
