// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// What a handler knows of the call besides its params.
public struct CallContext: Sendable {
  public var principal: Principal
  private var name: RequestName
  public var deadline: Deadline
  /// W3C `traceparent`, as received or made at the edge.
  public var traceparent: String?
  public var idempotencyKey: String?
  /// The caller's language, BCP 47, or nil.
  public var locale: String?
  /// The request carried `Sec-GPC: 1`.
  public var gpc: Bool
  public var attempt: Int

  public init(
    principal: Principal, requestId: String, deadline: Deadline, traceparent: String? = nil,
    idempotencyKey: String? = nil, locale: String? = nil, gpc: Bool = false, attempt: Int = 1
  ) {
    self.init(
      principal: principal, name: .given(requestId), deadline: deadline, traceparent: traceparent,
      idempotencyKey: idempotencyKey, locale: locale, gpc: gpc, attempt: attempt)
  }

  package init(
    principal: Principal, name: RequestName, deadline: Deadline, traceparent: String?, idempotencyKey: String?,
    locale: String?, gpc: Bool, attempt: Int
  ) {
    self.principal = principal
    self.name = name
    self.deadline = deadline
    self.traceparent = traceparent
    self.idempotencyKey = idempotencyKey
    self.locale = locale
    self.gpc = gpc
    self.attempt = attempt
  }

  /// Names the call in logs and errors: the caller's name for it, or one made here.
  public var requestId: String {
    get { name.text }
    set { name = .given(newValue) }
  }

  /// The tenant: the first column of every key.
  public var app: String { principal.app }

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
