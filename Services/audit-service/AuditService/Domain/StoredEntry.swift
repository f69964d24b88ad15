// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// An entry as its log holds it, opened: what lists and exports show is made of it.
struct StoredEntry: Sendable {
  var index: Int64
  var leaf: [UInt8]
  /// The look-up column: who acted, without any salt.
  var actor: String
  /// Nil once the subject's key is destroyed.
  var sealed: SealedPart?

  /// About what an answer shows of it, in bytes.
  var byteCount: Int

  func isMade(on deviceId: String) throws -> Bool { try sealed?.members()["deviceId"]?.stringValue == deviceId }

  /// Who looks: a person is not told which of the app's keys acted.
  enum Reader: Sendable, Hashable { case subject, staff }

  func shown(to reader: Reader) throws -> AuditEntry {
    let leaf = try JSON.decode(EntryFormat.Leaf.self, from: leaf)
    var entry = AuditEntry(
      entryId: leaf.entryId, index: index, kind: leaf.kind, source: leaf.source, timestamp: leaf.timestamp,
      actor: reader == .subject && SealedPart.namesKey(actor) ? "controller" : actor)
    var details = try JSON.decode([String: JSONValue].self, from: leaf.facts.bytes)
    entry.category = details.take("category")
    entry.status = details.take("status")
    entry.regulation = details.take("regulation")
    entry.policyVersion = details["policyVersion"]?.integerValue.map(Int.init)
    if entry.policyVersion != nil { details["policyVersion"] = nil }
    entry.method = details.take("method")
    if var personal = try sealed?.members() {
      entry.accountId = personal.take("accountId")
      entry.deviceId = personal.take("deviceId")
      entry.topic = personal.take("topic")
      entry.appVersion = personal.take("appVersion")
      entry.osVersion = personal.take("osVersion")
      personal["actor"] = nil
      personal["actorHash"] = nil
      details.merge(personal) { fact, _ in fact }
    } else {
      entry.erased = true
    }
    entry.details = details.isEmpty ? nil : details
    return entry
  }

  /// The entry with what a verifier needs to check it without any key.
  func withEvidence(for reader: Reader) throws -> AuditEntry {
    var entry = try shown(to: reader)
    entry.evidence = AuditEvidence(
      leaf: String(decoding: leaf, as: UTF8.self), salt: sealed?.salt, personal: try sealed?.members(),
      actor: reader == .staff ? sealed?.actor.map { .init(name: $0.name, salt: $0.salt) } : nil)
    return entry
  }
}

extension [String: JSONValue] {
  /// Removes a text member and gives it; a member of another type stays.
  fileprivate mutating func take(_ name: String) -> String? {
    guard let text = self[name]?.stringValue else { return nil }
    self[name] = nil
    return text
  }
}
