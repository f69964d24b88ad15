// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import SQLStore

/// Where subjects stand while events are replayed to them. Pure.
struct ReplayedHeads {
  enum Turn: Sendable, Hashable {
    /// The store has it.
    case known
    case next
    /// Something before it is missing.
    case early
  }

  private struct Standing {
    var generation: Int64
    var seq: Int64
    /// 0 live, 1 its deletion runs, 2 erased.
    var state: Int64
  }

  private var standings: [Subject: Standing] = [:]

  /// - Parameter rows: `generation, seq, state` of each, or none.
  init(_ subjects: [Subject], _ rows: ArraySlice<SQLRows>) {
    for (subject, rows) in zip(subjects, rows) {
      guard let row = rows.first else { continue }
      standings[subject] = Standing(generation: row.int(0), seq: row.int(1), state: row.int(2))
    }
  }

  mutating func take(_ event: Event) -> Turn {
    let subject = event.subjectOf
    let standing = standings[subject] ?? Standing(generation: 1, seq: 0, state: 0)
    guard event.seq > standing.seq else { return .known }
    // A later generation inherits nothing; what came before it may have been erased.
    guard event.seq == standing.seq + 1 || event.generation > standing.generation else { return .early }
    let isSuccessor = event.generation > standing.generation
    standings[subject] = Standing(
      generation: max(event.generation, standing.generation), seq: event.seq, state: isSuccessor ? 0 : standing.state)
    return .next
  }

  /// Whether the event is of a subject, and a generation of it, that is deleted here.
  func isDeleted(_ event: Event) -> Bool { standings[event.subjectOf].map { $0.state != 0 } ?? false }
}

extension Head {
  /// Puts a head where an event left it. One that is not live is not brought back, unless by a later generation.
  static func restore(_ subject: Subject, _ head: Head) -> SQLStatement {
    SQLStatement(
      """
      INSERT INTO subject_head (app, subject, generation, seq, state) VALUES ($1, $2, $3, $4, 0)
      ON CONFLICT (app, subject) DO UPDATE SET seq = excluded.seq,
        state = CASE WHEN excluded.generation > subject_head.generation THEN 0 ELSE subject_head.state END,
        generation = excluded.generation
      """, .text(subject.app), .text(subject.id), .integer(head.generation), .integer(head.seq))
  }
}
