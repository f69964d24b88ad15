// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import JSONRPC
internal import SQLStore
internal import SettingsContracts

/// Reads the logs. Opens sealed parts with the keys of the rows themselves, so that what was erased a moment ago is not
/// shown from a cache.
struct EntryReader: Sendable {
  private let store: any SQLStore
  private let key: AuditKey
  private let trail: SubjectTrail

  init(store: any SQLStore, key: AuditKey) {
    self.store = store
    self.key = key
    trail = SubjectTrail(store)
  }

  /// Entries that one search with filters looks through, so that a rare filter over a long log keeps no thread for long.
  static let window = 2_000

  /// Some entries, newest first, and where the search got to: nil at the log's end.
  struct Page: Sendable {
    var entries: [(position: EntryQuery.Position, entry: StoredEntry)] = []
    var next: EntryQuery.Position?
  }

  /// Looks through one window of the entries about `subject`, or of the whole app's.
  /// - Parameter limit: gives no more than that many.
  func page(_ query: EntryQuery, app: String, subject: String?, limit: Int) async throws -> Page {
    guard let subject else { return try await page(query, app: app, limit: limit, in: [.app]) }
    // One list a generation that is not erased; in general there is one.
    let generations = try await store.read(
      SQLStatement(
        "SELECT subject FROM audit_subject WHERE app = $1 AND subject_ref = $2 AND wrapped_key IS NOT NULL",
        .text(app), .blob(key.reference(app: app, subject: subject))))
    return try await page(query, app: app, limit: limit, in: generations.map { .subject($0.blob(0)) })
  }

  private enum List: Sendable {
    case app
    case subject([UInt8])
  }

  private func page(_ query: EntryQuery, app: String, limit: Int, in lists: [List]) async throws -> Page {
    guard !lists.isEmpty else { return Page() }
    // Without a filter the limit alone ends the search.
    let ends =
      query.isSelective
      ? try await store.read(lists.map { windowEnd(query, app: app, $0) }).map { $0.first.map(position) }
      : lists.map { _ in nil }
    let rows = try await store.read(
      zip(lists, ends).map { list, end in entries(query, app: app, list, downTo: end, limit: limit + 1) })
    return try merge(Array(zip(rows, ends)), app: app, limit: limit)
  }

  /// The last of as many entries as one search looks through; no row when there are fewer.
  private func windowEnd(_ query: EntryQuery, app: String, _ list: List) -> SQLStatement {
    let place: [SQLValue] = [
      .text(app), .integer(query.start.milliseconds), .integer(query.start.index),
      SQLValue(query.from?.milliseconds ?? .min), SQLValue(Self.window - 1),
    ]
    return switch list {
    case .app: SQLStatement(Self.appWindowEnd, parameters: place)
    case .subject(let subject): trail.windowEnd(of: subject, place)
    }
  }

  private func entries(
    _ query: EntryQuery, app: String, _ list: List, downTo end: EntryQuery.Position?, limit: Int
  ) -> SQLStatement {
    let last = end ?? EntryQuery.Position(milliseconds: query.from?.milliseconds ?? .min, index: .min)
    let place: [SQLValue] = [
      .text(app), .integer(query.start.milliseconds), .integer(query.start.index), .integer(last.milliseconds),
      .integer(last.index), SQLValue(query.kinds?.first), SQLValue(query.kinds?.end), SQLValue(query.category),
      SQLValue(query.status), SQLValue(query.regulation), SQLValue(query.policyVersion),
      SQLValue(query.actors?.first), SQLValue(query.actors?.end), SQLValue(limit),
    ]
    return switch list {
    case .app: SQLStatement(Self.appEntries, parameters: place)
    case .subject(let subject):
      // Without a filter none of those that it finds is passed over.
      trail.entries(of: subject, place, lookingAt: query.isSelective ? Self.window : limit)
    }
  }

  /// One page of several lists, each with the end of its window: all down to where the first of them breaks off.
  private func merge(_ lists: [(rows: SQLRows, end: EntryQuery.Position?)], app: String, limit: Int) throws -> Page {
    var page = Page()
    page.next =
      lists.compactMap { list in
        list.rows.count > limit ? list.rows.last.map(position) : list.end
      }.max()
    var boxes: [[UInt8]: SecretBox] = [:]
    let complete = lists.flatMap(\.rows).map { (position($0), $0) }
      .filter { page.next == nil || $0.0 >= page.next! }
      .sorted { $0.0 > $1.0 }
    page.entries = try complete.prefix(limit).map { ($0.0, try open($0.1, app: app, boxes: &boxes)) }
    if complete.count > limit { page.next = page.entries.last?.position }
    return page
  }

  /// - Parameter row: begins with `timestamp, idx`.
  private func position(_ row: SQLRow) -> EntryQuery.Position {
    EntryQuery.Position(milliseconds: row.int(0), index: row.int(1))
  }

  /// The newest entry in force of each consent category, by category.
  func currentDecisions(app: String, subject: String) async throws -> [StoredEntry] {
    let rows = try await store.read(
      trail.currentDecisions(app, of: key.reference(app: app, subject: subject)))
    var boxes: [[UInt8]: SecretBox] = [:]
    return try rows.map { try open($0, app: app, boxes: &boxes) }
  }

  /// Looks among the entries of the moment that the id holds, which is theirs: there is no index of ids.
  func isStored(_ entry: EntryWaiters.Key) async throws -> Bool {
    let rows = try await store.read(
      SQLStatement(
        "SELECT 1 FROM audit_entry WHERE app = $1 AND timestamp = $2 AND entry_id = $3", .text(entry.app),
        SQLValue(Identifier.milliseconds(of: entry.entryId)), .text(entry.entryId)))
    return !rows.isEmpty
  }

  /// The generation of a subject whose entries can be read, as the other services count it; nil before its first entry.
  func generation(app: String, subject: String) async throws -> Int64? {
    let rows = try await store.read(
      SQLStatement(
        """
        SELECT MAX(generation) FROM audit_subject WHERE app = $1 AND subject_ref = $2 AND wrapped_key IS NOT NULL
        """, .text(app), .blob(key.reference(app: app, subject: subject))))
    return rows.first?.optionalInt(0)
  }

  /// - Parameter row: `timestamp, idx, entry_id, actor, leaf, sealed, subject, wrapped_key`.
  private func open(_ row: SQLRow, app: String, boxes: inout [[UInt8]: SecretBox]) throws -> StoredEntry {
    var entry = StoredEntry(
      index: row.int(1), leaf: row.blob(4), actor: row.text(3),
      byteCount: row.blob(4).count + (row.optionalBlob(5)?.count ?? 0))
    guard let sealed = row.optionalBlob(5), let subject = row.optionalBlob(6), let wrapped = row.optionalBlob(7) else {
      return entry
    }
    let box = try boxes[subject] ?? key.unwrap(wrapped, app: app, subject: subject)
    boxes[subject] = box
    entry.sealed = try SealedPart.open(sealed, with: box, app: app, entryId: row.text(2))
    return entry
  }
}

extension EntryReader {
  // A run of the index on (app, time), in its order; the filters look at its rows alone.

  private static let appEntries: StaticString = """
    SELECT e.timestamp, e.idx, e.entry_id, e.actor, e.leaf, e.sealed, s.subject, s.wrapped_key
    FROM audit_entry e LEFT JOIN audit_subject s ON s.app = e.app AND s.subject = e.subject
    WHERE e.app = $1
      AND (e.timestamp, e.idx) < ($2, $3) AND (e.timestamp, e.idx) >= ($4, $5)
      AND (CAST($6 AS TEXT) IS NULL OR (e.kind >= $6 AND e.kind < $7))
      AND (CAST($8 AS TEXT) IS NULL OR e.category = $8) AND (CAST($9 AS TEXT) IS NULL OR e.status = $9)
      AND (CAST($10 AS TEXT) IS NULL OR e.regulation = $10)
      AND (CAST($11 AS BIGINT) IS NULL OR e.policy_version = $11)
      AND (CAST($12 AS TEXT) IS NULL OR (e.actor >= $12 AND e.actor < $13))
    ORDER BY e.timestamp DESC, e.idx DESC LIMIT $14
    """

  private static let appWindowEnd: StaticString = """
    SELECT timestamp, idx FROM audit_entry
    WHERE app = $1 AND (timestamp, idx) < ($2, $3) AND timestamp >= $4
    ORDER BY timestamp DESC, idx DESC LIMIT 1 OFFSET $5
    """
}
