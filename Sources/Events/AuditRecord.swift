// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// What one entry of the audit trail says.
public struct AuditRecord: Codable, Sendable, Hashable {
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
    object.put("facts", facts)
    object.put("personal", personal)
  }
}

extension AuditRecord {
  private enum CodingKeys: String, CodingKey { case entryId, kind, timestamp, facts, personal }

  /// As the synthesized one, but for a shorter way through the decoder; null counts as no members.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func members(_ key: CodingKeys) throws -> [String: JSONValue] {
      switch try container.decode(JSONValue.self, forKey: key) {
      case .object(let members): return members
      case .null: return [:]
      default: throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: "not an object")
      }
    }
    entryId = try container.decode(String.self, forKey: .entryId)
    kind = try container.decode(String.self, forKey: .kind)
    timestamp = try container.decode(Timestamp.self, forKey: .timestamp)
    facts = try members(.facts)
    personal = try members(.personal)
  }
}
