// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC
public import RPC

/// A session's tokens. They are made anew from what is stored, and are themselves stored nowhere.
public struct SessionGrant: Codable, Sendable, Hashable {
  public var sessionId: String
  public var deviceId: String
  /// For `Authorization: Bearer …`, until `expiresAt`.
  public var token: String
  /// For `session.refresh`; good once, for 60 days. Not given by `session.reauthenticate`, where the old one stays.
  public var refreshToken: String?
  /// When `token` ends: 15 minutes from now.
  public var expiresAt: Timestamp
  public var revision: Int64?
  /// The audit record of the write that this answers. A refresh has none.
  public var entryId: String?

  public init(
    sessionId: String, deviceId: String, token: String, refreshToken: String? = nil, expiresAt: Timestamp,
    revision: Int64? = nil, entryId: String? = nil
  ) {
    self.sessionId = sessionId
    self.deviceId = deviceId
    self.token = token
    self.refreshToken = refreshToken
    self.expiresAt = expiresAt
    self.revision = revision
    self.entryId = entryId
  }
}

/// The answer to signing out.
public struct SignedOut: Codable, Sendable, Hashable {
  /// How many sessions ended.
  public var count: Int
  /// The calling device's new identity before sign-in, when its own session ended.
  public var device: SessionGrant?
  public var revision: Int64
  /// The audit record of the write that this answers. Absent when no session was left to end.
  public var entryId: String?

  public init(count: Int, device: SessionGrant? = nil, revision: Int64, entryId: String? = nil) {
    self.count = count
    self.device = device
    self.revision = revision
    self.entryId = entryId
  }
}

/// One place where a person is signed in.
public struct SessionItem: Codable, Sendable, Hashable {
  public var sessionId: String
  public var deviceId: String
  public var deviceName: String?
  public var platform: String?
  public var appVersion: String?
  public var createdAt: Timestamp
  public var authenticatedAt: Timestamp
  /// When its tokens were last refreshed.
  public var lastSeenAt: Timestamp
  /// Whether it is the one that asks.
  public var current: Bool

  public init(
    sessionId: String, deviceId: String, deviceName: String? = nil, platform: String? = nil,
    appVersion: String? = nil, createdAt: Timestamp, authenticatedAt: Timestamp, lastSeenAt: Timestamp,
    current: Bool
  ) {
    self.sessionId = sessionId
    self.deviceId = deviceId
    self.deviceName = deviceName
    self.platform = platform
    self.appVersion = appVersion
    self.createdAt = createdAt
    self.authenticatedAt = authenticatedAt
    self.lastSeenAt = lastSeenAt
    self.current = current
  }
}

public struct SessionPage: Codable, Sendable, Hashable {
  public var items: [SessionItem]
  public var nextCursor: String?

  public init(items: [SessionItem], nextCursor: String? = nil) {
    self.items = items
    self.nextCursor = nextCursor
  }
}

/// Whose token was handed in.
public struct VerifiedSession: Codable, Sendable, Hashable {
  /// A device or a person, of the caller's app.
  public var principal: Principal
  public var expiresAt: Timestamp

  public init(principal: Principal, expiresAt: Timestamp) {
    self.principal = principal
    self.expiresAt = expiresAt
  }
}
