// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import SQLStore

/// The streams that a batch of events belongs to, one a subject and history of a source, and how far each was taken.
///
/// The store is asked about many at once: a statement a stream would be most of what taking an event costs.
struct InboxStreams: Sendable {
  /// Of each event, in order: the number of its stream.
  let numbers: [Int]
  /// What is read of the store, in this order.
  let statements: [SQLStatement]
  private let histories: [History]
  private let streamCount: Int

  /// One history of a source in one app, and the subjects of the batch that it is about.
  private struct History: Sendable {
    let app: String
    let source: String
    let epoch: String
    var streams: [(subject: String, number: Int)] = []
    var numbers: [String: Int] = [:]

    func holds(_ event: Event) -> Bool { app == event.app && source == event.source && epoch == event.epoch }

    /// Lists of subjects for one statement each.
    var lists: [ArraySlice<(subject: String, number: Int)>] {
      stride(from: 0, to: streams.count, by: InboxStreams.listed).map {
        streams[$0..<min($0 + InboxStreams.listed, streams.count)]
      }
    }
  }

  init(_ events: [Event]) {
    var histories: [History] = []
    var current = 0
    var count = 0
    numbers = events.map { event in
      // In general all are of one.
      if current == histories.count || !histories[current].holds(event) {
        current = histories.firstIndex { $0.holds(event) } ?? histories.count
        if current == histories.count {
          histories.append(History(app: event.app, source: event.source, epoch: event.epoch))
        }
      }
      if let known = histories[current].numbers[event.subject] { return known }
      histories[current].numbers[event.subject] = count
      histories[current].streams.append((event.subject, count))
      count += 1
      return count - 1
    }
    // In one order, so that two subscribers never wait for each other.
    histories.sort { ($0.app, $0.source, $0.epoch) < ($1.app, $1.source, $1.epoch) }
    statements =
      histories.map(Self.hold) + histories.flatMap { history in history.lists.flatMap { Self.look(history, $0) } }
    self.histories = histories
    streamCount = count
  }

  /// - Parameter rows: of `statements`, and maybe more.
  /// - Returns: by the streams' numbers.
  func standings(_ rows: [SQLRows]) -> [Standing] {
    var standings: [Standing?] = Array(repeating: nil, count: streamCount)
    var next = histories.count
    for history in histories {
      for (subject, number) in history.streams {
        standings[number] = Standing(
          app: history.app, subject: subject, source: history.source, epoch: history.epoch)
      }
      for _ in history.lists {
        for row in rows[next] {
          let number = history.numbers[row.text(0)]!
          if row.columnCount == 3 || row.text(3) == history.epoch {
            standings[number]!.found(seq: row.int(1), entryId: row.text(2))
          } else {
            standings[number]!.found(seq: row.int(1), before: row.text(3))
          }
        }
        for row in rows[next + 1] {
          standings[history.numbers[row.text(0)]!]!.found(generation: row.int(1), state: row.int(2))
        }
        next += 2
      }
    }
    return standings.map { $0! }
  }

  // MARK: Statements

  /// Makes whoever else takes events of the same history wait until this transaction has ended.
  private static func hold(_ history: History) -> SQLStatement {
    SQLStatement(
      """
      INSERT INTO inbox (app, subject, source, epoch, seq, entry_id) VALUES ($1, '', $2, $3, 0, '')
      ON CONFLICT (app, subject, source, epoch) DO UPDATE SET seq = inbox.seq RETURNING seq
      """, .text(history.app), .text(history.source), .text(history.epoch))
  }

  private static let listed = 16

  /// The last events taken, and where the subjects stand here; no rows for what there is not.
  private static func look(
    _ history: History, _ streams: ArraySlice<(subject: String, number: Int)>
  ) -> [SQLStatement] {
    let place: [SQLValue] = [.text(history.app), .text(history.source), .text(history.epoch)]
    guard StoreEpoch.isFirst(history.epoch) else { return lookThroughLine(history, streams) }
    if streams.count == 1 {
      let subject = SQLValue.text(streams.first!.subject)
      return [
        SQLStatement(
          """
          SELECT subject, seq, entry_id FROM inbox WHERE app = $1 AND source = $2 AND epoch = $3 AND subject = $4
          """, parameters: place + [subject]),
        SQLStatement(
          "SELECT subject, generation, state FROM subject_head WHERE app = $1 AND subject = $2",
          .text(history.app), subject),
      ]
    }
    // Filled up with the last one: the text is one for every number.
    var subjects = streams.map { SQLValue.text($0.subject) }
    while subjects.count < listed { subjects.append(subjects.last!) }
    return [
      SQLStatement(
        """
        SELECT subject, seq, entry_id FROM inbox WHERE app = $1 AND source = $2 AND epoch = $3
          AND subject IN ($4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
        """, parameters: place + subjects),
      SQLStatement(
        """
        SELECT subject, generation, state FROM subject_head
        WHERE app = $1 AND subject IN ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
        """, parameters: [.text(history.app)] + subjects),
    ]
  }

  /// The same with the last events taken of the epochs before it.
  private static func lookThroughLine(
    _ history: History, _ streams: ArraySlice<(subject: String, number: Int)>
  ) -> [SQLStatement] {
    var subjects = streams.map { SQLValue.text($0.subject) }
    while subjects.count < listed { subjects.append(subjects.last!) }
    return [
      SQLStatement(
        """
        SELECT subject, seq, entry_id, epoch FROM inbox WHERE app = $1 AND source = $2 AND epoch >= $3 AND epoch <= $4
          AND subject IN ($5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
        """,
        parameters: [
          .text(history.app), .text(history.source), .text(StoreEpoch.first(ofLineOf: history.epoch)),
          .text(history.epoch),
        ] + subjects),
      SQLStatement(
        """
        SELECT subject, generation, state FROM subject_head
        WHERE app = $1 AND subject IN ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
        """, parameters: [.text(history.app)] + subjects),
    ]
  }
}
