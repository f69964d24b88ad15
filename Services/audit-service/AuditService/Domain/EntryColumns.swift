// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// An entry's columns in a CSV export.
enum EntryColumns {
  static let names = [
    "entryId", "index", "kind", "source", "accountId", "deviceId", "topic", "category", "status", "regulation",
    "policyVersion", "timestamp", "appVersion", "osVersion", "actor", "method", "details", "leaf", "salt", "personal",
  ]

  static func cells(_ entry: AuditEntry) throws -> [String] {
    [
      entry.entryId, String(entry.index), entry.kind, entry.source, entry.accountId ?? "", entry.deviceId ?? "",
      entry.topic ?? "", entry.category ?? "", entry.status ?? "", entry.regulation ?? "",
      entry.policyVersion.map(String.init) ?? "", entry.timestamp.description, entry.appVersion ?? "",
      entry.osVersion ?? "", entry.actor, entry.method ?? "", try json(entry.details), entry.evidence?.leaf ?? "",
      entry.evidence?.salt ?? "", try json(entry.evidence?.personal),
    ]
  }

  private static func json(_ members: [String: JSONValue]?) throws -> String {
    guard let members else { return "" }
    return String(decoding: try JSON.canonical(JSONValue.object(members)), as: UTF8.self)
  }
}
