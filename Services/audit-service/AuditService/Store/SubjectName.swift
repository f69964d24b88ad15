// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import Events
internal import JSONRPC

/// Whom an entry is about, as its event says it. In memory only.
struct SubjectName: Sendable, Hashable {
  var app: String
  /// `a:<accountId>` and the like, or `h:` and a reference in hexadecimal.
  var id: String
  var generation: Int64

  /// What ids that are references begin with: those of audit-service's own events, and of all in its inbox.
  static let referencePrefix = "h:"

  init(app: String, id: String, generation: Int64) {
    self.app = app
    self.id = id
    self.generation = generation
  }

  init(of event: Event) {
    app = event.app
    id = event.subject
    // The head that audit-service keeps for its own events counts apart from the subject's generation in the other
    // services, so those events carry that one in their payload.
    generation =
      event.subject.hasPrefix(Self.referencePrefix)
      ? event.payload?["generation"]?.integerValue ?? event.generation : event.generation
  }

  func reference(_ key: AuditKey) -> [UInt8] {
    if id.hasPrefix(Self.referencePrefix), let reference = Hex.decode(id.dropFirst(Self.referencePrefix.count)) {
      return reference
    }
    return key.reference(app: app, subject: id)
  }
}
