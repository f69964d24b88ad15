// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC
public import RPC

/// What an access token says. Its text is `at1.<claims>.<signature>`: the claims as JSON, and an Ed25519 signature over
/// everything before the second dot, both in base64url. There is one algorithm and no header that could name another;
/// `kid` picks the public key among those that account-service lists.
public struct TokenClaims: Codable, Sendable, Hashable {
  /// The first part of every access token.
  public static let prefix = "at1"

  /// The signing key.
  public var kid: String
  /// The session.
  public var sid: String
  public var app: String
  /// The account; absent before sign-in.
  public var sub: String?
  public var device: String
  /// Of the account, or of the device before sign-in.
  public var generation: Int64
  /// When the app verified the person, in seconds since 1970 UTC; absent before sign-in.
  public var authTime: Int64?
  /// The first moment at which it is refused, in seconds since 1970 UTC.
  public var exp: Int64

  public init(
    kid: String, sid: String, app: String, sub: String?, device: String, generation: Int64, authTime: Int64?,
    exp: Int64
  ) {
    self.kid = kid
    self.sid = sid
    self.app = app
    self.sub = sub
    self.device = device
    self.generation = generation
    self.authTime = authTime
    self.exp = exp
  }

  public var expiresAt: Timestamp { Self.time(exp) }

  /// The caller that a good token stands for.
  public var principal: Principal {
    Principal(
      kind: sub == nil ? .device : .user, app: app, accountId: sub, deviceId: device, sessionId: sid,
      generation: generation, authTime: authTime.map(Self.time))
  }

  /// A moment from 1970 to the end of the year 9999, whatever a claim says: timestamps cannot spell others.
  private static func time(_ seconds: Int64) -> Timestamp {
    Timestamp(milliseconds: min(max(seconds, 0), 253_402_300_799) * 1000)
  }
}
