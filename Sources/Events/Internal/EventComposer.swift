// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import JSONRPC
internal import RPC

/// Makes the events of a decided change: one per subject of the write, with its records.
struct EventComposer {
  let source: String
  let epoch: String
  let context: CallContext

  func events(of change: Change, _ subjects: [Subject]) -> [Event] {
    subjects.map { subject in
      var records: [AuditRecord] = []
      for entry in change.records where subjects.count == 1 || entry.subject == subject {
        var record = entry.record
        complete(&record.personal, subject)
        records.append(record)
      }
      let head = change.heads[subject]!
      return Event(
        source: source, epoch: epoch, app: subject.app, subject: subject.id, generation: head.generation,
        seq: head.seq, entryId: records.first?.entryId ?? Identifier.next(change.now),
        kind: records.first?.kind ?? "changed", records: records,
        payload: subject == change.subject ? change.payload : nil)
    }
  }

  /// Who and whom, unless the decision said so itself.
  private func complete(_ personal: inout [String: JSONValue], _ subject: Subject) {
    func add(_ name: String, _ value: String?) {
      if let value, personal[name] == nil { personal[name] = .string(value) }
    }
    add("actor", context.principal.actor)
    add("accountId", subject.accountId)
    add("deviceId", subject.deviceId ?? context.principal.deviceId)
  }
}
