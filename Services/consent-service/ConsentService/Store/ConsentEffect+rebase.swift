// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import SQLStore

extension ConsentEffect {
  /// Records are joined; a policy version that the other history published stays what it is, and so do named decisions.
  static let rebase = Rebase(
    reads: { subject in
      [
        SQLStatement(
          "SELECT record FROM consent_record WHERE app = $1 AND subject = $2", .text(subject.app), .text(subject.id)),
        SQLStatement("SELECT version FROM consent_policy WHERE app = $1", .text(subject.app)),
        SQLStatement(
          "SELECT decision_id FROM consent_decision WHERE app = $1 AND subject = $2", .text(subject.app),
          .text(subject.id)),
      ]
    },
    effects: { events, rows in
      var record = try rows[0].first.map { try JSON.decode(ConsentRecord.self, from: $0.text(0)) } ?? ConsentRecord()
      let versions = Set(rows[1].map { $0.int(0) })
      let decisions = Set(rows[2].map { $0.text(0) })
      return try events.map { event in
        let joined = try JSON.decode([ConsentEffect].self, from: event.ownEffects.bytes).map { effect in
          var effect = effect
          if let own = effect.record {
            record.join(try JSON.decode(ConsentRecord.self, from: own.bytes))
            effect.record = RawJSON(try JSON.encode(record))
          }
          if let policy = effect.policy, versions.contains(policy.version) { effect.policy = nil }
          if let decision = effect.decision, decisions.contains(decision.id) { effect.decision = nil }
          return effect
        }
        return RawJSON(try JSON.encode(joined))
      }
    })
}
