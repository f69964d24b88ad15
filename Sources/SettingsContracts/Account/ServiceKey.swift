// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// What a key with a role may do: `admin` everything, `officer` evidence and rights, `operator` health and counters.
public enum KeyRole: String, WireWord {
  case admin, officer, `operator`
}

/// What a key with scopes may do: each admits to the methods that name it.
public enum KeyScope: String, WireWord {
  case account, agent, audit, check, consent, decide, `import`, rights, session
}

public struct ServiceKey: Codable, Sendable, Hashable {
  public var keyId: String
  /// The actor of its audit entries; never given to a second key of the app.
  public var name: String
  /// Who answers for it.
  public var owner: String
  public var scopes: [KeyScope]?
  public var role: KeyRole?
  public var createdAt: Timestamp
  public var expiresAt: Timestamp?
  public var revokedAt: Timestamp?
  /// The key's text, to be sent as `Authorization: Bearer …`. In the answer of `key.create` alone, once.
  public var key: String?
  public var revision: Int64?
  /// The audit record of the write that this answers.
  public var entryId: String?

  public init(
    keyId: String, name: String, owner: String, scopes: [KeyScope]? = nil, role: KeyRole? = nil,
    createdAt: Timestamp, expiresAt: Timestamp? = nil, revokedAt: Timestamp? = nil, key: String? = nil,
    revision: Int64? = nil, entryId: String? = nil
  ) {
    self.keyId = keyId
    self.name = name
    self.owner = owner
    self.scopes = scopes
    self.role = role
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.revokedAt = revokedAt
    self.key = key
    self.revision = revision
    self.entryId = entryId
  }
}

public struct KeyCreateParams: Codable, Sendable, Hashable {
  /// 1 to 64 of `A-Z a-z 0-9 . _ -`.
  public var name: String
  /// 1 to 200 characters.
  public var owner: String
  /// Either these or `role`.
  public var scopes: [KeyScope]?
  public var role: KeyRole?
  /// Later than now; never when left out.
  public var expiresAt: Timestamp?

  public init(
    name: String, owner: String, scopes: [KeyScope]? = nil, role: KeyRole? = nil, expiresAt: Timestamp? = nil
  ) {
    self.name = name
    self.owner = owner
    self.scopes = scopes
    self.role = role
    self.expiresAt = expiresAt
  }
}

public struct KeyListParams: Codable, Sendable, Hashable {
  /// 1 to 200; 50 when left out.
  public var limit: Int?
  public var cursor: String?

  public init(limit: Int? = nil, cursor: String? = nil) {
    self.limit = limit
    self.cursor = cursor
  }
}

public struct KeyPage: Codable, Sendable, Hashable {
  public var items: [ServiceKey]
  public var nextCursor: String?

  public init(items: [ServiceKey], nextCursor: String? = nil) {
    self.items = items
    self.nextCursor = nextCursor
  }
}

public struct KeyRevokeParams: Codable, Sendable, Hashable {
  public var keyId: String

  public init(keyId: String) { self.keyId = keyId }
}
