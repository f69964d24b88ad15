// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// Who makes a call, as the gateway found from the credential, or as a service calls another.
public struct Principal: Codable, Sendable, Hashable {
  public enum Kind: String, Codable, Sendable, CaseIterable {
    /// No credential.
    case anonymous
    /// A device before sign-in (contract: D).
    case device
    /// A signed-in person (contract: U).
    case user
    /// A service key (contract: S with scopes, A with a role).
    case key
    /// Another of Assent's services, over the bus.
    case service
  }

  public var kind: Kind
  /// The tenant. Comes from the credential only.
  public var app: String
  public var accountId: String?
  public var deviceId: String?
  public var sessionId: String?
  /// Of the account, so that a token of a deleted account says nothing about its successor.
  public var generation: Int64?
  /// When the person signed in.
  public var authTime: Timestamp?
  /// Of a key: its name, the actor in audit entries. Of a service: `consent-service`.
  public var name: String?
  public var scopes: [String]?
  /// `admin`, `officer` or `operator`.
  public var role: String?

  public init(
    kind: Kind, app: String = "default", accountId: String? = nil, deviceId: String? = nil, sessionId: String? = nil,
    generation: Int64? = nil, authTime: Timestamp? = nil, name: String? = nil, scopes: [String]? = nil,
    role: String? = nil
  ) {
    self.kind = kind
    self.app = app
    self.accountId = accountId
    self.deviceId = deviceId
    self.sessionId = sessionId
    self.generation = generation
    self.authTime = authTime
    self.name = name
    self.scopes = scopes
    self.role = role
  }

  public static let anonymous = Principal(kind: .anonymous)

  /// What scopes an idempotency key: the credential's owner, not the single token.
  public var identity: String {
    switch kind {
    case .anonymous: "anonymous"
    case .device: "d:\(deviceId ?? "")"
    case .user: "u:\(accountId ?? "")"
    case .key: "k:\(name ?? "")"
    case .service: "s:\(name ?? "")"
    }
  }

  /// The actor in audit entries: `person`, `device`, `key:<name>` or `service:<name>`.
  public var actor: String {
    switch kind {
    case .anonymous: "anonymous"
    case .device: "device"
    case .user: "person"
    case .key: "key:\(name ?? "")"
    case .service: "service:\(name ?? "")"
    }
  }
}
