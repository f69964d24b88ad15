// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SQLStore

/// An event on its way into the outbox: of a change just decided, or one that a recovery found.
protocol OutgoingEvent: JSONObjectEncodable {
  var place: EventPlace { get }
  /// Whether it carries what it did to its source's own tables.
  var hasReplay: Bool { get }
  var withoutReplay: Self { get }
}

/// Rows of events that subscribers have not acknowledged yet, one per event and subscriber.
struct Outbox: Sendable {
  /// Of one event. Two still fit a message.
  static let largestEvent = 384 << 10

  /// One undelivered event.
  struct Row: Sendable {
    let app: String
    let position: Int64
    let subject: String
    let event: String
  }

  private let store: any SQLStore

  init(_ store: any SQLStore) { self.store = store }

  /// What an event leaves in the source's own tables goes to the archive alone.
  /// - Returns: the rows, when `listing`.
  /// - Throws: INTERNAL when an event is too large to be delivered.
  @discardableResult
  static func add(
    _ events: some Sequence<some OutgoingEvent>, for subscribers: [String], at position: () -> Int64,
    to writes: inout SQLWrites,
    listing: Bool = false
  ) throws -> [OutboxFeed.Entry] {
    var entries: [OutboxFeed.Entry] = []
    guard !subscribers.isEmpty else { return entries }
    for event in events {
      let text = try JSON.encodeString(event)
      guard text.utf8.count <= largestEvent else {
        throw RPCError.internalError("the change is too large to be recorded", processed: .no)
      }
      let position = position()
      let subject = event.place.subject
      let isShared = event.hasReplay && subscribers.contains { $0 != Ledger.archive }
      let shared = isShared ? try JSON.encodeString(event.withoutReplay) : text
      for subscriber in subscribers {
        let text = subscriber == Ledger.archive ? text : shared
        writes.add(
          """
          INSERT INTO outbox (app, subscriber, position, subject, seq, event) VALUES ($1, $2, $3, $4, $5, $6)
          """, .text(subject.app), .text(subscriber), .integer(position), .text(subject.id),
          .integer(event.place.head.seq), .text(text))
        guard listing else { continue }
        let row = Row(app: subject.app, position: position, subject: subject.id, event: text)
        entries.append(OutboxFeed.Entry(subscriber: subscriber, row: row))
      }
    }
    return entries
  }

  /// The apps that have rows, without reading all of these.
  func apps() async throws -> [String] {
    try await store.read(
      SQLStatement(
        """
        WITH RECURSIVE apps (app) AS (
          SELECT min(app) FROM outbox
          UNION ALL SELECT (SELECT min(app) FROM outbox WHERE app > apps.app) FROM apps WHERE apps.app IS NOT NULL
        )
        SELECT app FROM apps WHERE app IS NOT NULL
        """)
    ).map { $0.text(0) }
  }

  /// The next rows for a subscriber behind `position`, in order: those of one ledger, and others from before `age`.
  func rows(
    _ app: String, for subscriber: String, after position: Int64, of ledger: Int64, before age: Int64, limit: Int
  ) async throws -> [Row] {
    try await store.read(
      SQLStatement(
        """
        SELECT position, subject, event FROM outbox
        WHERE app = $1 AND subscriber = $2 AND position > $3 AND (position < $4 OR position % 1000 = $5)
        ORDER BY position, subject LIMIT $6
        """, .text(app), .text(subscriber), .integer(position), .integer(age), .integer(ledger), SQLValue(limit))
    ).map { Row(app: app, position: $0.int(0), subject: $0.text(1), event: $0.text(2)) }
  }

  /// Rows of one ledger, all that lie in a range of positions.
  struct Stretch: Sendable {
    let ledger: Int64
    let positions: ClosedRange<Int64>

    func holds(_ row: Row) -> Bool {
      row.position % OutboxPositions.ledgers == ledger && positions.contains(row.position)
    }
  }

  /// Removes acknowledged rows of one app.
  /// - Parameter stretch: all of its rows that lie between the first and the last of these are among them: they go by one
  ///   statement. Each other goes by its key, since rows between them may wait, or may have been committed meanwhile.
  func remove(_ rows: [Row], of app: String, for subscriber: String, whole stretch: Stretch?) async throws {
    let ranged = rows.filter { stretch?.holds($0) ?? false }.map(\.position)
    try await store.write([]) { _, writes in
      if let ledger = stretch?.ledger, let first = ranged.min(), let last = ranged.max() {
        writes.add(
          """
          DELETE FROM outbox
          WHERE app = $1 AND subscriber = $2 AND position BETWEEN $3 AND $4 AND position % 1000 = $5
          """, .text(app), .text(subscriber), .integer(first), .integer(last), .integer(ledger))
      }
      for row in rows where !(stretch?.holds(row) ?? false) {
        writes.add(
          "DELETE FROM outbox WHERE app = $1 AND subscriber = $2 AND position = $3 AND subject = $4", .text(app),
          .text(subscriber), .integer(row.position), .text(row.subject))
      }
    }
  }

  /// How many rows wait for a subscriber, counted up to `limit` in each app, and the oldest one's position.
  func backlog(for subscriber: String, limit: Int) async throws -> (rows: Int, oldest: Int64?) {
    var total = 0
    var oldest: Int64?
    for app in try await apps() {
      let row = try await store.read(
        SQLStatement(
          """
          SELECT count(*), min(position) FROM (
            SELECT position FROM outbox WHERE app = $1 AND subscriber = $2 ORDER BY position LIMIT $3
          ) AS waiting
          """, .text(app), .text(subscriber), SQLValue(limit)))[0]
      total += Int(row.int(0))
      if let first = row.optionalInt(1) { oldest = min(oldest ?? first, first) }
    }
    return (total, oldest)
  }

  /// The highest position there is, or 0.
  func lastPosition() async throws -> Int64 {
    var last: Int64 = 0
    for app in try await apps() {
      for subscriber in try await subscribers(app) {
        let row = try await store.read(
          SQLStatement(
            "SELECT max(position) FROM outbox WHERE app = $1 AND subscriber = $2", .text(app), .text(subscriber)))[0]
        last = max(last, row.optionalInt(0) ?? 0)
      }
    }
    return last
  }

  private func subscribers(_ app: String) async throws -> [String] {
    try await store.read(
      SQLStatement(
        """
        WITH RECURSIVE names (name) AS (
          SELECT min(subscriber) FROM outbox WHERE app = $1
          UNION ALL SELECT (SELECT min(subscriber) FROM outbox WHERE app = $1 AND subscriber > names.name)
          FROM names WHERE names.name IS NOT NULL
        )
        SELECT name FROM names WHERE name IS NOT NULL
        """, .text(app))
    ).map { $0.text(0) }
  }
}
