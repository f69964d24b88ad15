// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import Events
internal import JSONRPC
internal import SQLStore

/// Reads events back, for the services that made them and those that subscribe to these.
struct EventReader: Sendable {
  /// What the events of one answer may add up to, in bytes.
  private static let pageBytes = 512 << 10

  let store: any SQLStore
  let key: AuditKey

  /// The newest of one app, newest first.
  func marks(_ app: String, _ source: String, before: String?, limit: Int) async throws -> EventMarks {
    let rows = try await store.read(
      SQLStatement(
        """
        SELECT e.entry_id, e.subject, s.wrapped_key, e.sealed, e.generation, e.seq, e.epoch
        FROM audit_event e LEFT JOIN audit_subject s ON s.app = e.app AND s.subject = e.subject
        WHERE e.app = $1 AND e.source = $2 AND e.entry_id < $3 ORDER BY e.entry_id DESC LIMIT $4
        """, .text(app), .text(source), .text(before ?? Self.end), SQLValue(limit)))
    var boxes: [[UInt8]: SecretBox] = [:]
    let marks = try rows.compactMap { row in
      try open(row, app, &boxes).map {
        EventMark(
          app: app, subject: $0.subject, generation: row.int(4), seq: row.int(5), entryId: row.text(0),
          epoch: row.text(6))
      }
    }
    return EventMarks(marks: marks, next: rows.count == limit ? rows.last?.text(0) : nil)
  }

  /// The newest of every app.
  func newest(_ source: String, limit: Int) async throws -> [EventMark] {
    var marks: [EventMark] = []
    for app in try await store.read(SQLStatement("SELECT app FROM audit_log ORDER BY app")) {
      marks += try await self.marks(app.text(0), source, before: nil, limit: limit).marks
    }
    return marks
  }

  /// Those of one app behind an entry, oldest first; as many as an answer can hold.
  func events(_ app: String, _ source: String, after: String, limit: Int) async throws -> ArchivedEvents {
    let rows = try await store.read(
      SQLStatement(
        """
        SELECT e.entry_id, e.subject, s.wrapped_key, e.sealed
        FROM audit_event e LEFT JOIN audit_subject s ON s.app = e.app AND s.subject = e.subject
        WHERE e.app = $1 AND e.source = $2 AND e.entry_id > $3 ORDER BY e.entry_id LIMIT $4
        """, .text(app), .text(source), .text(after), SQLValue(limit)))
    var boxes: [[UInt8]: SecretBox] = [:]
    var page = ArchivedEvents(events: [], next: rows.count == limit ? rows.last?.text(0) : nil)
    var bytes = 0
    for (index, row) in rows.enumerated() {
      bytes += row.optionalBlob(3)?.count ?? 0
      if bytes > Self.pageBytes, index > 0 {
        page.next = rows[index - 1].text(0)
        break
      }
      if let event = try open(row, app, &boxes) { page.events.append(event) }
    }
    return page
  }

  /// Those whose key was destroyed in that generation.
  func erased(_ app: String, _ subjects: [ErasedSubjectsParams.Known]) async throws -> [String] {
    let rows = try await store.read(
      subjects.map {
        SQLStatement(
          """
          SELECT 1 FROM audit_subject
          WHERE app = $1 AND subject_ref = $2 AND generation = $3 AND wrapped_key IS NULL
          """, .text(app), .blob(key.reference(app: app, subject: $0.subject)), .integer($0.generation))
      })
    return zip(subjects, rows).filter { !$1.isEmpty }.map(\.0.subject)
  }

  /// Behind every identifier.
  private static let end = "~"

  /// - Parameter row: begins with `entry_id, subject, wrapped_key, sealed`.
  /// - Returns: nil once the subject's key is destroyed.
  private func open(_ row: SQLRow, _ app: String, _ boxes: inout [[UInt8]: SecretBox]) throws -> Event? {
    guard let wrapped = row.optionalBlob(2), let sealed = row.optionalBlob(3) else { return nil }
    let subject = row.blob(1)
    let box = try boxes[subject] ?? key.unwrap(wrapped, app: app, subject: subject)
    boxes[subject] = box
    let text = try box.open(sealed, associatedData: ArchivedEvent.place(app: app, entryId: row.text(0)))
    return try JSON.decode(Event.self, from: text)
  }
}
