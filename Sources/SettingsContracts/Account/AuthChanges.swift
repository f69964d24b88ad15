// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// Where a gateway stands; nothing for everything.
public struct AuthChangesParams: Codable, Sendable, Hashable {
  public var cursor: String?

  public init(cursor: String? = nil) { self.cursor = cursor }
}

/// What a gateway must know to judge credentials, of every app: all of it, or what changed since a cursor. Lists hold the
/// state that things have now; an item replaces the one with the same id.
public struct AuthChanges: Codable, Sendable, Hashable {
  /// For the next call.
  public var cursor: String
  /// True: this starts over, forget what was known (once the last page is in).
  public var reset: Bool?
  /// True: there is more, ask again at once.
  public var more: Bool?
  public var keys: [AuthKey]
  public var apps: [AuthApp]
  /// All of them, with every page that has anything.
  public var publicKeys: [AuthPublicKey]
  public var revocations: [AuthRevocation]

  public init(
    cursor: String, reset: Bool? = nil, more: Bool? = nil, keys: [AuthKey] = [], apps: [AuthApp] = [],
    publicKeys: [AuthPublicKey] = [], revocations: [AuthRevocation] = []
  ) {
    self.cursor = cursor
    self.reset = reset
    self.more = more
    self.keys = keys
    self.apps = apps
    self.publicKeys = publicKeys
    self.revocations = revocations
  }
}

/// A service key, known by the SHA-256 of its text.
public struct AuthKey: Codable, Sendable, Hashable {
  public var app: String
  public var keyId: String
  /// SHA-256 of the text after `Bearer `, in lower-case hexadecimal.
  public var hash: String
  public var name: String
  public var scopes: [KeyScope]?
  public var role: KeyRole?
  /// Refused from then on.
  public var expiresAt: Timestamp?
  /// True: refused.
  public var revoked: Bool?

  public init(
    app: String, keyId: String, hash: String, name: String, scopes: [KeyScope]? = nil, role: KeyRole? = nil,
    expiresAt: Timestamp? = nil, revoked: Bool? = nil
  ) {
    self.app = app
    self.keyId = keyId
    self.hash = hash
    self.name = name
    self.scopes = scopes
    self.role = role
    self.expiresAt = expiresAt
    self.revoked = revoked
  }
}

public struct AuthApp: Codable, Sendable, Hashable {
  public var app: String
  public var publishableKey: String
  public var origins: [String]
  public var defaultLocale: String

  public init(app: String, publishableKey: String, origins: [String], defaultLocale: String) {
    self.app = app
    self.publishableKey = publishableKey
    self.origins = origins
    self.defaultLocale = defaultLocale
  }
}

/// A key that access tokens are signed with.
public struct AuthPublicKey: Codable, Sendable, Hashable {
  public var kid: String
  /// Ed25519, 32 bytes in base64url.
  public var publicKey: String

  public init(kid: String, publicKey: String) {
    self.kid = kid
    self.publicKey = publicKey
  }
}

/// A session that ended: its tokens are refused and its event streams closed.
public struct AuthRevocation: Codable, Sendable, Hashable {
  public var app: String
  public var sessionId: String
  /// By then all of its tokens have expired by themselves, and this can be forgotten.
  public var until: Timestamp

  public init(app: String, sessionId: String, until: Timestamp) {
    self.app = app
    self.sessionId = sessionId
    self.until = until
  }
}
