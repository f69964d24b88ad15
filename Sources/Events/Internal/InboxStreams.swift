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
  /// How many subjects a statement asks for.
  private let listed: Int
  private let withHeads: Bool

  /// One history of a source in one app, and the subjects of the batch that it is about.
  private struct History: Sendable {
    let app: String
    let source: String
    let epoch: String
    private(set) var streams: [(subject: String, number: Int)] = []
    private var numbers: [String: Int] = [:]

    init(of event: Event) {
      app = event.app
      source = event.source
      epoch = event.epoch
    }

    func holds(_ event: Event) -> Bool { app == event.app && source == event.source && epoch == event.epoch }

    /// - Parameter next: the number of a subject that has none yet.
    mutating func number(of subject: String, next: Int) -> Int {
      let known = { (number: inout Int?) -> Int in
        if let number { return number }
        number = next
        return next
      }(&numbers[subject])
      if known == next { streams.append((subject, next)) }
      return known
    }

    /// Lists of subjects for one statement each.
    func lists(of most: Int) -> [ArraySlice<(subject: String, number: Int)>] {
      stride(from: 0, to: streams.count, by: most).map { streams[$0..<min($0 + most, streams.count)] }
    }
  }

  /// - Parameters:
  ///   - listing: whether one statement asks for many subjects; else each has its own.
  ///   - withHeads: whether it is read where the subjects stand here.
  init(_ events: [Event], listing: Bool = true, withHeads: Bool = true) {
    let listed = listing ? Self.listed : 1
    self.listed = listed
    self.withHeads = withHeads
    var histories: [History] = []
    var current = 0
    var count = 0
    numbers = events.map { event in
      // In general all are of one.
      if current == histories.count || !histories[current].holds(event) {
        current = histories.firstIndex { $0.holds(event) } ?? histories.count
        if current == histories.count { histories.append(History(of: event)) }
      }
      let number = histories[current].number(of: event.subject, next: count)
      if number == count { count += 1 }
      return number
    }
    // In one order, so that two subscribers never wait for each other.
    histories.sort { ($0.app, $0.source, $0.epoch) < ($1.app, $1.source, $1.epoch) }
    statements =
      histories.map(Self.hold)
      + histories.flatMap { history in
        let lists = history.lists(of: listed)
        return lists.map { Self.taken(history, $0) } + (withHeads ? lists.map { Self.heads(history, $0) } : [])
      }
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
      for list in history.lists(of: listed) {
        for row in rows[next] {
          let number = list.number(at: row.int(0))
          if row.columnCount == 3 || row.text(3) == history.epoch {
            standings[number]!.found(seq: row.int(1), entryId: row.text(2))
          } else {
            standings[number]!.found(seq: row.int(1), before: row.text(3))
          }
        }
        next += 1
      }
      guard withHeads else { continue }
      for list in history.lists(of: listed) {
        for row in rows[next] {
          standings[list.number(at: row.int(0))]!.found(generation: row.int(1), state: row.int(2))
        }
        next += 1
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

  /// Of one statement, each with its place in the list, by which rows name it. The last is there several times where a list
  /// is not full.
  private static let listed = 16

  /// The last events taken of some subjects, where there are any. In a later epoch of a line, those of the epochs before
  /// it too.
  private static func taken(
    _ history: History, _ streams: ArraySlice<(subject: String, number: Int)>
  ) -> SQLStatement {
    let isFirst = StoreEpoch.isFirst(history.epoch)
    var place: [SQLValue] = [.text(history.app), .text(history.source), .text(history.epoch)]
    if !isFirst { place.append(.text(StoreEpoch.first(ofLineOf: history.epoch))) }
    switch (isFirst, streams.count) {
    case (true, 1):
      return SQLStatement(
        """
        SELECT 0, seq, entry_id FROM inbox WHERE app = $1 AND source = $2 AND epoch = $3 AND subject = $4
        """, parameters: place + [.text(streams.first!.subject)])
    case (true, _):
      return SQLStatement(
        """
        SELECT listed.column1, i.seq, i.entry_id
        FROM (VALUES (0, $4), (1, $5), (2, $6), (3, $7), (4, $8), (5, $9), (6, $10), (7, $11), (8, $12), (9, $13),
          (10, $14), (11, $15), (12, $16), (13, $17), (14, $18), (15, $19)) AS listed
        CROSS JOIN inbox i
        WHERE i.app = $1 AND i.subject = listed.column2 AND i.source = $2 AND i.epoch = $3
        """, parameters: place + filled(streams))
    case (false, 1):
      return SQLStatement(
        """
        SELECT 0, seq, entry_id, epoch FROM inbox
        WHERE app = $1 AND source = $2 AND epoch <= $3 AND epoch >= $4 AND subject = $5
        """, parameters: place + [.text(streams.first!.subject)])
    case (false, _):
      return SQLStatement(
        """
        SELECT listed.column1, i.seq, i.entry_id, i.epoch
        FROM (VALUES (0, $5), (1, $6), (2, $7), (3, $8), (4, $9), (5, $10), (6, $11), (7, $12), (8, $13), (9, $14),
          (10, $15), (11, $16), (12, $17), (13, $18), (14, $19), (15, $20)) AS listed
        CROSS JOIN inbox i
        WHERE i.app = $1 AND i.subject = listed.column2 AND i.source = $2 AND i.epoch <= $3 AND i.epoch >= $4
        """, parameters: place + filled(streams))
    }
  }

  /// Where some subjects stand here; no rows for those that have no head.
  private static func heads(
    _ history: History, _ streams: ArraySlice<(subject: String, number: Int)>
  ) -> SQLStatement {
    guard streams.count > 1 else {
      return SQLStatement(
        "SELECT 0, generation, state FROM subject_head WHERE app = $1 AND subject = $2", .text(history.app),
        .text(streams.first!.subject))
    }
    return SQLStatement(
      """
      SELECT listed.column1, h.generation, h.state
      FROM (VALUES (0, $2), (1, $3), (2, $4), (3, $5), (4, $6), (5, $7), (6, $8), (7, $9), (8, $10), (9, $11),
        (10, $12), (11, $13), (12, $14), (13, $15), (14, $16), (15, $17)) AS listed
      CROSS JOIN subject_head h
      WHERE h.app = $1 AND h.subject = listed.column2
      """, parameters: [.text(history.app)] + filled(streams))
  }

  /// With the last one as often as it takes: the text is one for every number.
  private static func filled(_ streams: ArraySlice<(subject: String, number: Int)>) -> [SQLValue] {
    let subjects = streams.map { SQLValue.text($0.subject) }
    return subjects + Array(repeating: subjects.last!, count: listed - subjects.count)
  }
}

extension ArraySlice<(subject: String, number: Int)> {
  /// The number of the stream at a place of a list, which is filled up with the last one.
  fileprivate func number(at place: Int64) -> Int { self[Swift.min(startIndex + Int(place), endIndex - 1)].number }
}
