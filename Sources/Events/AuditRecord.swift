// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// What one entry of the audit trail says.
public struct AuditRecord: Codable, Sendable, Hashable {
  /// Holds the same time as `timestamp`, by which it is found.
  public var entryId: String
  /// Such as `consent.granted`.
  public var kind: String
  public var timestamp: Timestamp
  /// Not personal, so in the clear for ever: category, status, regulation, policyVersion, method …
  public var facts: [String: JSONValue]
  /// Sealed under the subject's key and erased with it: accountId, deviceId, actor, appVersion, osVersion …
  public var personal: [String: JSONValue]

  public init(
    entryId: String, kind: String, timestamp: Timestamp, facts: [String: JSONValue], personal: [String: JSONValue]
  ) {
    self.entryId = entryId
    self.kind = kind
    self.timestamp = timestamp
    self.facts = facts
    self.personal = personal
  }
}

extension AuditRecord: JSONObjectEncodable {
  public func encode(into object: JSONObject) {
    object.put("entryId", entryId)
    object.put("kind", kind)
    object.put("timestamp", timestamp)
    object.put("facts", unordered: facts)
    object.put("personal", unordered: personal)
  }
}

extension AuditRecord {
  public init(from decoder: any Decoder) throws {
    let members = try JSONMembers(decoder)
    entryId = try members.read("entryId")
    kind = try members.read("kind")
    timestamp = try members.read("timestamp")
    facts = try members.read("facts")
    personal = try members.read("personal")
  }
}
