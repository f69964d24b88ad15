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
