// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC
internal import Tracing

/// One call, from its bytes to its answer. Exactly one `RPCProxy.settle` ends it. Used on the socket thread only.
///
/// Unchecked Sendable: completions that come on other threads hand it over to that one.
final class Call: @unchecked Sendable {
  enum State {
    /// Its credential is being checked.
    case judging
    /// May be started when its turn in the batch has come.
    case ready
    /// A service, or the gateway's own work, has it.
    case running
    case done
  }

  let message: Message
  let index: Int
  let route: Route
  let isNotification: Bool
  /// The request object, without `_meta`.
  var body: [UInt8]
  /// Of the body as it came.
  let byteCount: Int
  let deadline: Deadline
  /// In monotonic nanoseconds.
  let began: UInt64
  var state = State.judging
  var credential: Credential!
  /// What `_meta` said, before what came beside the message.
  let idempotencyKey: String?
  /// The gateway's span, which those of the services are part of.
  let trace: TraceContext
  let locale: String?
  /// Of the gateway's own methods.
  let localWork: ((Call) -> Void)?
  /// Whose order in a batch it is in; nil: nobody's.
  var subject: String?
  /// Of a batch's member whose credential is a key: whom its params name.
  let namedSubject: String?
  /// What to take back when the client goes.
  var upstream: [(transport: any ClientTransport, token: CallToken)] = []
  var isCancelled = false
  /// Whether it is counted among its address's and its caller's calls that run.
  var isInSource = false
  var isInCaller = false
  var requestId = ""
  /// So that the name may be another call's too.
  var isNamedByClient = false
  /// Called once it is done, for `rpc.cancel`.
  var whenDone: (() -> Void)?

  init(
    _ message: Message, index: Int, route: Route, isNotification: Bool, body: [UInt8], meta: RequestMeta?,
    localWork: ((Call) -> Void)?, namedSubject: String?, trace: TraceContext
  ) {
    self.message = message
    self.index = index
    self.route = route
    self.isNotification = isNotification
    self.body = body
    byteCount = body.count
    self.localWork = localWork
    self.namedSubject = namedSubject
    began = MonotonicClock.nanoseconds()
    let timeout = meta?.timeoutMs ?? message.timeoutMs ?? Deadline.standardMilliseconds
    deadline = Deadline(
      uptimeNanoseconds: began + UInt64(min(max(0, timeout), Deadline.longestMilliseconds)) * 1_000_000)
    self.trace = trace
    locale = meta?.locale ?? message.locale
    if let own = meta?.idempotencyKey {
      idempotencyKey = own
    } else {
      idempotencyKey = message.isBatch ? message.idempotencyKey.map { "\($0)#\(index)" } : message.idempotencyKey
    }
  }
}
