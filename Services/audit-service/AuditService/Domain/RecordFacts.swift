// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC

/// What a record says in the clear, as it is hashed, and what of it entries are looked up by.
struct RecordFacts: Sendable {
  /// Canonical.
  let text: RawJSON
  let category: String?
  let status: String?
  let regulation: String?
  let policyVersion: Int64?
  /// A later decision had overtaken this one.
  let isSuperseded: Bool

  init(_ members: PlainMembers) {
    text = members.canonical
    category = members.string("category")
    status = members.string("status")
    regulation = members.string("regulation")
    policyVersion = members.integer("policyVersion")
    isSuperseded = members.bool("superseded") == true
  }

  init(_ members: [String: JSONValue]) throws {
    text = try EntryFormat.canonical(members)
    category = members["category"]?.stringValue
    status = members["status"]?.stringValue
    regulation = members["regulation"]?.stringValue
    policyVersion = members["policyVersion"]?.integerValue
    isSuperseded = members["superseded"]?.boolValue == true
  }
}
