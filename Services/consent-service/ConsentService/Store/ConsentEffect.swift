// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import SQLStore

/// What a write leaves in this service's tables. Each member is there when the write was about it.
struct ConsentEffect: StoreEffect, Hashable {
  /// The subject's record as it is afterwards.
  var record: RawJSON?
  /// The named decision that the write was.
  var decision: Decision?
  var policy: Policy?

  struct Decision: Codable, Sendable, Hashable {
    var id: String
    /// Canonical JSON of what a repeat must agree in.
    var asked: String
    /// JSON of what every repeat is answered.
    var outcome: String
  }

  struct Policy: Codable, Sendable, Hashable {
    var version: Int64
    var publishedAt: Timestamp
    var document: RawJSON
  }

  func statements(at place: EventPlace) -> [SQLStatement] {
    var statements: [SQLStatement] = []
    let (app, subject) = (SQLValue.text(place.subject.app), SQLValue.text(place.subject.id))
    if let record {
      statements.append(
        SQLStatement(
          """
          INSERT INTO consent_record (app, subject, revision, record) VALUES ($1, $2, $3, $4)
          ON CONFLICT (app, subject) DO UPDATE SET revision = excluded.revision, record = excluded.record
          """, app, subject, .integer(place.head.seq), .text(String(decoding: record.bytes, as: UTF8.self))))
    }
    if let decision {
      statements.append(
        SQLStatement(
          """
          INSERT INTO consent_decision (app, subject, decision_id, asked, outcome) VALUES ($1, $2, $3, $4, $5)
          ON CONFLICT (app, subject, decision_id) DO UPDATE SET asked = excluded.asked, outcome = excluded.outcome
          """, app, subject, .text(decision.id), .text(decision.asked), .text(decision.outcome)))
    }
    if let policy {
      statements.append(
        SQLStatement(
          """
          INSERT INTO consent_policy (app, version, published_at, document) VALUES ($1, $2, $3, $4)
          ON CONFLICT (app, version) DO UPDATE SET published_at = excluded.published_at, document = excluded.document
          """, app,
          .integer(policy.version), SQLValue(policy.publishedAt),
          .text(String(decoding: policy.document.bytes, as: UTF8.self))))
      statements.append(
        SQLStatement(
          """
          INSERT INTO consent_app (app, revision) VALUES ($1, 1)
          ON CONFLICT (app) DO UPDATE SET revision = consent_app.revision + 1
          """, app))
    }
    return statements
  }

  /// Removes everything about a subject.
  static func erase(_ subject: Subject) -> [SQLStatement] {
    let place: [SQLValue] = [.text(subject.app), .text(subject.id)]
    return [
      SQLStatement("DELETE FROM consent_record WHERE app = $1 AND subject = $2", parameters: place),
      SQLStatement("DELETE FROM consent_decision WHERE app = $1 AND subject = $2", parameters: place),
    ]
  }
}

extension ConsentEffect: JSONObjectEncodable {
  func encode(into object: JSONObject) {
    if let record { object.put("record", record) }
    if let decision { object.put("decision", decision) }
    if let policy { object.put("policy", policy) }
  }
}

extension ConsentEffect.Decision: JSONObjectEncodable {
  func encode(into object: JSONObject) {
    object.put("id", id)
    object.put("asked", asked)
    object.put("outcome", outcome)
  }
}

extension ConsentEffect.Policy: JSONObjectEncodable {
  func encode(into object: JSONObject) {
    object.put("version", version)
    object.put("publishedAt", publishedAt)
    object.put("document", document)
  }
}
