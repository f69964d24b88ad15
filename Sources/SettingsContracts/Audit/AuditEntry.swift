// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// One entry of the audit trail.
public struct AuditEntry: Codable, Sendable, Hashable {
  public var entryId: String
  /// Its place in the app's log: 0, 1, 2, … without gaps.
  public var index: Int64
  /// What happened, such as `consent.decided`.
  public var kind: String
  /// The service that recorded it.
  public var source: String
  public var accountId: String?
  public var deviceId: String?
  /// For entries about the app itself: what they are about, such as `policy`.
  public var topic: String?
  public var category: String?
  public var status: String?
  public var regulation: String?
  public var policyVersion: Int?
  public var timestamp: Timestamp
  public var appVersion: String?
  public var osVersion: String?
  /// `person`, `device`, `service:<name>` or, to keys, `key:<name>`. A person sees `controller` in place of a key's name.
  public var actor: String
  public var method: String?
  /// What else the entry says.
  public var details: [String: JSONValue]?
  /// The subject was erased: who it was about can no longer be known.
  public var erased: Bool?
  /// In exports: what a verifier needs.
  public var evidence: AuditEvidence?

  public init(
    entryId: String, index: Int64, kind: String, source: String, timestamp: Timestamp, actor: String
  ) {
    self.entryId = entryId
    self.index = index
    self.kind = kind
    self.source = source
    self.timestamp = timestamp
    self.actor = actor
  }
}

/// What lets anyone check an entry without a key: the leaf, and what its commitment commits to.
///
/// `SHA-256(0x00 ‖ leaf)` is the entry's leaf hash in the app's log; the leaf's `commitment` is
/// `SHA-256(salt ‖ canonical JSON of personal)`. Salts and hashes are hexadecimal.
public struct AuditEvidence: Codable, Sendable, Hashable {
  /// The key that acted: the personal part's `actorHash` is `SHA-256(salt ‖ name)`.
  public struct Actor: Codable, Sendable, Hashable {
    public var name: String
    public var salt: String

    public init(name: String, salt: String) {
      self.name = name
      self.salt = salt
    }
  }

  /// Canonical JSON (RFC 8785), as it was hashed.
  public var leaf: String
  /// Absent, as is `personal`, when the subject was erased.
  public var salt: String?
  public var personal: [String: JSONValue]?
  /// To keys only.
  public var actor: Actor?

  public init(leaf: String, salt: String?, personal: [String: JSONValue]?, actor: Actor?) {
    self.leaf = leaf
    self.salt = salt
    self.personal = personal
    self.actor = actor
  }
}

/// Entries, newest first.
public struct AuditPage: Codable, Sendable, Hashable {
  public var items: [AuditEntry]
  /// There is more. A page that searched long may hold fewer items than asked for, even none, and still go on.
  public var nextCursor: String?

  public init(items: [AuditEntry], nextCursor: String? = nil) {
    self.items = items
    self.nextCursor = nextCursor
  }
}
