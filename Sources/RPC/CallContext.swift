// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC
public import Tracing

/// What a handler knows of the call besides its params.
public struct CallContext: Sendable {
  private struct Fields: Sendable {
    var caller: Caller
    var name: RequestName
    var deadline: Deadline
    var trace: TraceContext
    var idempotencyKey: String?
    var locale: String?
    var gpc: Bool
    var attempt: Int
  }

  /// A context passes through a dozen hands in a call and is changed in hardly any, so they share one copy.
  private final class Shared: Sendable {
    let fields: Fields
    init(_ fields: Fields) { self.fields = fields }
  }
  private var shared: Shared

  /// - Parameter trace: nil: a new one.
  public init(
    principal: Principal, requestId: String, deadline: Deadline, trace: TraceContext? = nil,
    idempotencyKey: String? = nil, locale: String? = nil, gpc: Bool = false, attempt: Int = 1
  ) {
    self.init(
      caller: Caller(principal), name: .given(requestId), deadline: deadline,
      trace: trace ?? TraceContext.begun(), idempotencyKey: idempotencyKey, locale: locale, gpc: gpc, attempt: attempt)
  }

  /// - Parameter caller: nil for one without a credential.
  package init(
    caller: Caller?, name: RequestName, deadline: Deadline, trace: TraceContext, idempotencyKey: String?,
    locale: String?, gpc: Bool, attempt: Int
  ) {
    shared = Shared(
      Fields(
        caller: caller ?? .anonymous, name: name, deadline: deadline, trace: trace,
        idempotencyKey: idempotencyKey, locale: locale, gpc: gpc, attempt: attempt))
  }

  private mutating func change(_ change: (inout Fields) -> Void) {
    var fields = shared.fields
    change(&fields)
    shared = Shared(fields)
  }

  public var principal: Principal {
    get { shared.fields.caller.principal }
    set { change { $0.caller = Caller(newValue) } }
  }
  /// Names the call in logs and errors: the caller's name for it, or one made here.
  public var requestId: String {
    get { shared.fields.name.text }
    set { change { $0.name = .given(newValue) } }
  }
  public var deadline: Deadline {
    get { shared.fields.deadline }
    set { change { $0.deadline = newValue } }
  }
  /// This call's span in its caller's trace; of a caller without one, in a new trace.
  public var trace: TraceContext {
    get { shared.fields.trace }
    set { change { $0.trace = newValue } }
  }
  public var idempotencyKey: String? {
    get { shared.fields.idempotencyKey }
    set { change { $0.idempotencyKey = newValue } }
  }
  /// The caller's language, BCP 47, or nil.
  public var locale: String? {
    get { shared.fields.locale }
    set { change { $0.locale = newValue } }
  }
  /// The request carried `Sec-GPC: 1`.
  public var gpc: Bool {
    get { shared.fields.gpc }
    set { change { $0.gpc = newValue } }
  }
  public var attempt: Int {
    get { shared.fields.attempt }
    set { change { $0.attempt = newValue } }
  }

  /// The tenant: the first column of every key.
  public var app: String { shared.fields.caller.principal.app }

  /// Throws when nobody waits for the answer any more. Long handlers call it between steps.
  public func checkAlive() throws(RPCError) {
    if Task.isCancelled { throw .cancelled("the caller cancelled", processed: .no) }
    if deadline.isPast { throw .deadlineExceeded("the deadline passed before the work was done", processed: .no) }
  }
}

/// A call's name. Most are never looked at, so one made here stays a number until it is.
package enum RequestName: Sendable {
  case given(String)
  case numbered(instance: String, Int)

  var text: String {
    switch self {
    case .given(let text): text
    case .numbered(let instance, let number): "\(instance)-\(number)"
    }
  }
}
