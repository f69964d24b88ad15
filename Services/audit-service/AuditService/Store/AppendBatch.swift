// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import SQLStore

/// Keys or logs are stored other than a batch was prepared with. Nothing was written.
struct StaleKeys: Error {}

/// A batch of events, made ready for one transaction: what it reads, and what it writes once that holds.
struct AppendBatch: Sendable {
  /// As the inbox knows them: by reference, not by account or device.
  private(set) var events: [Event] = []
  private var entries: [[NewEntry]] = []
  private var logs: [(app: String, id: [UInt8])] = []
  private var subjects: [(key: SubjectKey, isKnown: Bool)] = []
  private let keyId: [UInt8]

  init(keyId: [UInt8]) { self.keyId = keyId }

  mutating func add(log id: [UInt8], of app: String) { logs.append((app, id)) }

  /// - Parameter isKnown: its row was seen; else it is made.
  mutating func add(_ key: SubjectKey, isKnown: Bool) { subjects.append((key, isKnown)) }

  mutating func add(_ event: Event, as subject: String, _ entries: [NewEntry]) {
    events.append(
      Event(
        source: event.source, epoch: event.epoch, app: event.app, subject: subject, generation: event.generation,
        seq: event.seq, entryId: event.entryId, kind: event.kind, records: []))
    self.entries.append(entries)
  }

  /// The logs' rows, made where missing and held against other writers, then the subjects'.
  var reads: [SQLStatement] {
    logs.map { log in
      SQLStatement(
        lock: """
          INSERT INTO audit_log (app, log_id, key_id, size) VALUES ($1, $2, $3, 0)
          ON CONFLICT (app) DO UPDATE SET size = audit_log.size
          RETURNING log_id, size
          """, .text(log.app), .blob(log.id), .blob(keyId))
    }
      + subjects.map { $0.isKnown ? $0.key.find : $0.key.claim }
  }

  /// Puts the entries of `arrivals` at the ends of their logs.
  /// - Parameter rows: of `reads`.
  /// - Throws: `StaleKeys`.
  func write(_ arrivals: [Inbox.Arrival], _ rows: [SQLRows], _ writes: inout SQLWrites) throws {
    for (subject, found) in zip(subjects, rows.dropFirst(logs.count)) {
      guard let row = found.first, subject.key.isStored(in: row) else { throw StaleKeys() }
    }
    for (log, found) in zip(logs, rows) {
      guard let row = found.first, row.blob(0) == log.id else { throw StaleKeys() }
      let size = row.int(1)
      var next = size
      for arrival in arrivals where arrival.event.app == log.app {
        for entry in entries[arrival.index] {
          writes.add(entry.insert(at: next))
          next += 1
        }
      }
      guard next > size else { continue }
      let grow = SQLStatement(
        "UPDATE audit_log SET size = $3 WHERE app = $1 AND size = $2 RETURNING size", .text(log.app), .integer(size),
        .integer(next))
      writes.add(grow) { if $0.isEmpty { throw StaleKeys() } }
    }
  }

  /// What is in the log now, by app, for those who wait for it.
  func entryIds(of outcomes: [Acceptance]) -> [EntryWaiters.Key] {
    zip(events, zip(entries, outcomes)).flatMap { event, arrived in
      arrived.1.isSettled ? arrived.0.map { EntryWaiters.Key(app: event.app, entryId: $0.entryId) } : []
    }
  }
}
