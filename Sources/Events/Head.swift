// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SQLStore

/// Where a subject stands in one service.
public struct Head: Sendable, Hashable {
  /// From 1; one higher each time the subject comes back after a deletion.
  public let generation: Int64
  /// Counts the subject's writes, across generations. What results call `revision`.
  public let seq: Int64

  public init(generation: Int64, seq: Int64) {
    self.generation = generation
    self.seq = seq
  }

  /// The first statement of every write: counts it, and is the subject's lock, order and tombstone in one. A head that is
  /// not live stays as it is. `standing` tells what became of it: on SQLite a statement that returns rows of what it
  /// writes takes three times as long as one that does not.
  /// - Parameter reviving: whether a subject that was erased begins anew, in its next generation.
  static func advance(_ subject: Subject, reviving: Bool = false) -> SQLStatement {
    guard !reviving else {
      return SQLStatement(
        lock: """
          INSERT INTO subject_head (app, subject, generation, seq, state) VALUES ($1, $2, 1, 1, 0)
          ON CONFLICT (app, subject) DO UPDATE SET seq = subject_head.seq + 1, state = 0,
            generation = subject_head.generation + CASE WHEN subject_head.state = 2 THEN 1 ELSE 0 END
          WHERE subject_head.state <> 1
          """, .text(subject.app), .text(subject.id))
    }
    return SQLStatement(
      lock: """
        INSERT INTO subject_head (app, subject, generation, seq, state) VALUES ($1, $2, 1, 1, 0)
        ON CONFLICT (app, subject) DO UPDATE SET seq = subject_head.seq + 1 WHERE subject_head.state = 0
        """, .text(subject.app), .text(subject.id))
  }

  /// `generation, seq, state` (0: live), or no row.
  static func standing(_ subject: Subject) -> SQLStatement {
    SQLStatement(
      "SELECT generation, seq, state FROM subject_head WHERE app = $1 AND subject = $2", .text(subject.app),
      .text(subject.id))
  }
}

/// The heads of a write's subjects.
public struct Heads: Sendable {
  private let entries: [(subject: Subject, head: Head)]

  package init(_ entries: [(subject: Subject, head: Head)]) { self.entries = entries }

  /// - Parameter rows: of each subject, once `Head.advance` has run: `generation, seq, state` first.
  /// - Throws: FAILED_PRECONDITION `subjectDeleted`.
  init(_ subjects: [Subject], _ rows: ArraySlice<SQLRows>) throws(RPCError) {
    var entries: [(subject: Subject, head: Head)] = []
    entries.reserveCapacity(subjects.count)
    for (subject, rows) in zip(subjects, rows) {
      guard let row = rows.first, row.int(2) == 0 else {
        throw .failedPrecondition("the subject is deleted", reason: "subjectDeleted")
      }
      entries.append((subject, Head(generation: row.int(0), seq: row.int(1))))
    }
    self.entries = entries
  }

  /// Nil when the subject is not part of the write.
  public subscript(subject: Subject) -> Head? { index(of: subject).map { entries[$0].head } }

  var count: Int { entries.count }

  /// In the order in which the write took them.
  subscript(index: Int) -> EventPlace { EventPlace(subject: entries[index].subject, head: entries[index].head) }

  /// A write has one subject, two, or very few.
  func index(of subject: Subject) -> Int? { entries.firstIndex { $0.subject == subject } }
}
