// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import SQLStore

/// How far the events of one subject by one history of a source have been taken, in the store and in the batch at hand.
struct Standing {
  private let app: String
  private let subject: String
  private let source: String
  private let epoch: String
  /// 0: none, and no row.
  private var stored: Int64 = 0
  private var seq: Int64 = 0
  private var entryId = ""
  /// What is older has no effect here.
  private var oldest: Int64 = 0
  /// How far the epochs before this one of its line were taken, and the last of them.
  private var before: (seq: Int64, epoch: String)?

  init(app: String, subject: String, source: String, epoch: String) {
    self.app = app
    self.subject = subject
    self.source = source
    self.epoch = epoch
  }

  /// The last event taken.
  mutating func found(seq: Int64, entryId: String) {
    stored = seq
    self.seq = seq
    self.entryId = entryId
  }

  /// The last event taken of an epoch before this one.
  mutating func found(seq: Int64, before epoch: String) {
    if before == nil || before!.epoch < epoch { before = (seq, epoch) }
  }

  /// The subject's head here: while its deletion runs nothing has an effect, once it is erased the next generation has.
  mutating func found(generation: Int64, state: Int64) {
    oldest =
      switch state {
      case 0: generation
      case 1: .max
      default: generation + 1
      }
  }

  /// - Parameter overGaps: what is missing before it is lost and will not come.
  mutating func take(_ event: Event, overGaps: Bool = false) -> Acceptance {
    // The first of its epoch is new whatever was taken before: the source may have lost some of that for good.
    let isFirst = seq == 0 && event.seq <= (before?.seq ?? 0) + 1
    if isFirst || event.seq == seq + 1 || overGaps && event.seq > seq {
      seq = event.seq
      entryId = event.entryId
      return .applied
    }
    if event.seq > seq { return .gap }
    return event.seq == seq && event.entryId != entryId ? .conflict : .duplicate
  }

  func isCurrent(_ event: Event) -> Bool { event.generation >= oldest }

  /// Writes the new standing. Nobody else has changed it since it was read: `InboxStreams` holds its history.
  func save(to writes: inout SQLWrites) {
    guard seq != stored else { return }
    let key: [SQLValue] = [.text(app), .text(subject), .text(source), .text(epoch), .integer(seq), .text(entryId)]
    if stored > 0 {
      writes.add(
        SQLStatement(
          """
          UPDATE inbox SET seq = $5, entry_id = $6 WHERE app = $1 AND subject = $2 AND source = $3 AND epoch = $4
          """, parameters: key))
    } else {
      writes.add(
        SQLStatement(
          "INSERT INTO inbox (app, subject, source, epoch, seq, entry_id) VALUES ($1, $2, $3, $4, $5, $6)",
          parameters: key))
    }
  }
}
