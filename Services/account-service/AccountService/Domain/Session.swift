// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC

/// A session as it is stored: of a person, or of a device before sign-in.
struct Session: Sendable, Codable, Hashable {
  /// How long an access token is good.
  static let tokenLifetimeMs: Int64 = 15 * 60 * 1000
  /// How long a session goes on without a refresh.
  static let idleLifetimeMs: Int64 = 60 * 24 * 3600 * 1000
  /// Live sessions of one account; a further one ends the one that was idle longest.
  static let limitPerAccount = 100

  var app: String
  var sessionId: String
  /// Absent before sign-in.
  var accountId: String?
  var deviceId: String
  /// Of the account, or of the device before sign-in.
  var generation: Int64
  var deviceName: String?
  var platform: String?
  var appVersion: String?
  var createdAt: Timestamp
  /// Absent before sign-in.
  var authenticatedAt: Timestamp?
  var lastSeenAt: Timestamp
  /// Refused from then on, unless refreshed before.
  var expiresAt: Timestamp
  /// How many refresh tokens have been spent: the number of the one that is good now.
  var refreshCount: Int64 = 0
  /// When the last access token ends. Until then gateways must know when the session has ended.
  var tokenUntil: Timestamp
  var endedAt: Timestamp?

  /// A session that begins `now`.
  init(
    app: String, sessionId: String, accountId: String?, deviceId: String, generation: Int64,
    authenticatedAt: Timestamp?, now: Timestamp
  ) {
    self.app = app
    self.sessionId = sessionId
    self.accountId = accountId
    self.deviceId = deviceId
    self.generation = generation
    self.authenticatedAt = authenticatedAt
    createdAt = now
    lastSeenAt = now
    expiresAt = now + Self.idleLifetimeMs
    tokenUntil = Self.tokenEnd(now)
  }

  /// Tokens carry whole seconds.
  static func tokenEnd(_ now: Timestamp) -> Timestamp {
    Timestamp(milliseconds: (now.milliseconds + tokenLifetimeMs) / 1000 * 1000)
  }

  func isLive(at now: Timestamp) -> Bool { endedAt == nil && now < expiresAt }
}

/// Why a session ended: a fact of its audit record.
enum SessionEnd: String, Sendable {
  case signedOut, signedOutEverywhere, tooMany, refreshTokenReused
}
