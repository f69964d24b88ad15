// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

public struct SessionStartDeviceParams: Codable, Sendable, Hashable {
  /// The app's publishable key.
  public var appKey: String
  /// 1 to 32 of `A-Z a-z 0-9 . _ -`, such as `ios`.
  public var platform: String
  /// 1 to 64 characters, such as `2.4 (318)`.
  public var appVersion: String

  public init(appKey: String, platform: String, appVersion: String) {
    self.appKey = appKey
    self.platform = platform
    self.appVersion = appVersion
  }
}

public struct SessionStartParams: Codable, Sendable, Hashable {
  public var accountId: String
  /// As `session.startDevice` gave it; a new one is made when left out.
  public var deviceId: String?
  /// What the person calls the device, for their list of sessions; at most 100 characters.
  public var deviceName: String?
  /// When the app verified the person.
  public var authenticatedAt: Timestamp

  public init(accountId: String, deviceId: String? = nil, deviceName: String? = nil, authenticatedAt: Timestamp) {
    self.accountId = accountId
    self.deviceId = deviceId
    self.deviceName = deviceName
    self.authenticatedAt = authenticatedAt
  }
}

public struct SessionRefreshParams: Codable, Sendable, Hashable {
  public var refreshToken: String

  public init(refreshToken: String) { self.refreshToken = refreshToken }
}

public struct SessionReauthenticateParams: Codable, Sendable, Hashable {
  public var sessionId: String
  /// Whom the app verified: must be the session's account.
  public var accountId: String
  public var authenticatedAt: Timestamp

  public init(sessionId: String, accountId: String, authenticatedAt: Timestamp) {
    self.sessionId = sessionId
    self.accountId = accountId
    self.authenticatedAt = authenticatedAt
  }
}

public struct SessionListParams: Codable, Sendable, Hashable {
  public var accountId: String?
  /// 1 to 100; 50 when left out.
  public var limit: Int?
  public var cursor: String?

  public init(accountId: String? = nil, limit: Int? = nil, cursor: String? = nil) {
    self.accountId = accountId
    self.limit = limit
    self.cursor = cursor
  }
}

public struct SessionSignOutParams: Codable, Sendable, Hashable {
  public var accountId: String?
  /// The calling one when left out.
  public var sessionId: String?

  public init(accountId: String? = nil, sessionId: String? = nil) {
    self.accountId = accountId
    self.sessionId = sessionId
  }
}

public struct SessionSignOutEverywhereParams: Codable, Sendable, Hashable {
  public var accountId: String?

  public init(accountId: String? = nil) { self.accountId = accountId }
}

public struct SessionVerifyParams: Codable, Sendable, Hashable {
  /// An access token.
  public var token: String

  public init(token: String) { self.token = token }
}
