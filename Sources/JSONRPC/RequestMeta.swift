// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// The reserved `_meta` member of every params object, for clients that can send nothing but a body.
public struct RequestMeta: Codable, Sendable, Hashable {
  /// A credential, without `Bearer`.
  public var token: String?
  public var idempotencyKey: String?
  public var timeoutMs: Int?
  public var traceparent: String?
  public var locale: String?

  public init(
    token: String? = nil, idempotencyKey: String? = nil, timeoutMs: Int? = nil, traceparent: String? = nil,
    locale: String? = nil
  ) {
    self.token = token
    self.idempotencyKey = idempotencyKey
    self.timeoutMs = timeoutMs
    self.traceparent = traceparent
    self.locale = locale
  }
}
