// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
public import Tracing

/// What travels beside a request: the second frame of `ASNT1`, at most 8 KiB of JSON; over HTTP the gateway's headers.
public struct CallMetadata: Codable, Sendable {
  /// How long the caller will wait, from receipt.
  public var timeoutMs: Int?
  /// In the receiving instance's monotonic clock (milliseconds): later than this it must not be executed.
  public var expiresAt: Int64?
  /// The caller's span: W3C `traceparent`.
  public var trace: TraceContext?
  /// `Bearer …`: read by the gateway only.
  public var authorization: String?
  /// Believed from the gateway and other services only.
  public var principal: Principal? {
    get { caller?.principal }
    set { caller = newValue.map(Caller.init) }
  }
  /// The `principal`, as it is passed on.
  var caller: Caller?
  public var idempotencyKey: String?
  public var attempt: Int?
  public var requestId: String?
  public var locale: String?
  /// The request carried `Sec-GPC: 1`.
  public var gpc: Bool?

  private enum CodingKeys: String, CodingKey {
    case timeoutMs, expiresAt, authorization
    case trace = "traceparent"
    case caller = "principal"
    case idempotencyKey, attempt, requestId, locale, gpc
  }

  public init(
    timeoutMs: Int? = nil, expiresAt: Int64? = nil, trace: TraceContext? = nil, authorization: String? = nil,
    principal: Principal? = nil, idempotencyKey: String? = nil, attempt: Int? = nil, requestId: String? = nil,
    locale: String? = nil, gpc: Bool? = nil
  ) {
    self.timeoutMs = timeoutMs
    self.expiresAt = expiresAt
    self.trace = trace
    self.authorization = authorization
    self.principal = principal
    self.idempotencyKey = idempotencyKey
    self.attempt = attempt
    self.requestId = requestId
    self.locale = locale
    self.gpc = gpc
  }
}

/// What travels beside a reply.
public struct ReplyMetadata: Codable, Sendable, Equatable {
  /// The answering process, new at each start.
  public var instance: String?
  /// Its monotonic clock, in milliseconds.
  public var serverNow: Int64?
  public var draining: Bool?
  public var retryAfterMs: Int?
  /// The error code when the body is an error, so that a gateway need not read the body.
  public var errorCode: Int?
  /// Nothing of the message was begun (shutting down, overloaded, expired): it may be sent elsewhere, whatever it asks.
  public var refused: Bool?

  public init(
    instance: String? = nil, serverNow: Int64? = nil, draining: Bool? = nil, retryAfterMs: Int? = nil,
    errorCode: Int? = nil, refused: Bool? = nil
  ) {
    self.instance = instance
    self.serverNow = serverNow
    self.draining = draining
    self.retryAfterMs = retryAfterMs
    self.errorCode = errorCode
    self.refused = refused
  }
}
