// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import JSONRPC

/// Makes the events of a decided change: one per subject of the write, with its records.
struct EventComposer {
  let source: String
  let epoch: String
  /// Whether others than audit-service get them.
  let isShared: Bool

  func events(of change: Change) -> [Event] {
    zip(change.heads.subjects, change.records).map { subject, records in
      let head = change.heads[subject]!
      return Event(
        source: source, epoch: epoch, app: subject.app, subject: subject.id, generation: head.generation,
        seq: head.seq, entryId: records.first?.entryId ?? Identifier.next(change.now),
        kind: records.first?.kind ?? "changed", records: records,
        payload: subject == change.subject ? change.payload : nil,
        replay: EventReplay(effects: subject == change.subject ? change.effects : [], isShared: isShared))
    }
  }
}
