// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// What a record of the audit trail says, by whoever knows it: written straight into the text of the event that carries
/// the record, so that nothing is put together first to be taken apart again. Read back as `AuditRecord`.
public protocol AuditDetails: Sendable {
  /// Nothing personal, so in the clear for ever: category, status, regulation, policyVersion, method …
  func putFacts(into object: JSONObject)
  /// Sealed under the subject's key and erased with it. `accountId`, `deviceId` and `actor` follow from subject and
  /// caller.
  func putPersonal(into object: JSONObject)
}

/// Details that are at hand as dictionaries.
public struct AuditMembers: AuditDetails {
  let facts: [String: JSONValue]
  let personal: [String: JSONValue]

  public init(facts: [String: JSONValue], personal: [String: JSONValue] = [:]) {
    self.facts = facts
    self.personal = personal
  }

  public func putFacts(into object: JSONObject) { object.put(unordered: facts) }
  public func putPersonal(into object: JSONObject) { object.put(unordered: personal) }
}
