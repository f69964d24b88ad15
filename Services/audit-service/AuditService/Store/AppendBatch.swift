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
  private var archived: [ArchivedEvent] = []
  private var logs: [(app: String, id: [UInt8])] = []
  /// Subjects that have no row yet.
  private let new: [SubjectKey]
  /// Looks at the rows of the others.
  private let checks: [SubjectKey.Check]
  private let keyId: [UInt8]
  private let trail: SubjectTrail

  /// - Parameters:
  ///   - known: keys whose rows were seen.
  ///   - new: of subjects that have no row yet; it is made.
  ///   - listing: whether one statement looks up many subjects.
  init(keyId: [UInt8], known: [SubjectKey], new: [SubjectKey], listing: Bool, trail: SubjectTrail) {
    self.keyId = keyId
    self.trail = trail
    self.new = new
    // Who was erased stays so.
    checks = SubjectKey.checks(of: known.filter { !$0.isErased }, listing: listing)
  }

  mutating func add(log id: [UInt8], of app: String) { logs.append((app, id)) }

  mutating func add(_ event: Event, as subject: String, _ entries: [NewEntry], _ archived: ArchivedEvent) {
    self.archived.append(archived)
    events.append(
      Event(
        source: event.source, epoch: event.epoch, app: event.app, subject: subject, generation: event.generation,
        seq: event.seq, entryId: event.entryId, kind: event.kind, records: []))
    self.entries.append(entries)
  }

  /// The logs' rows, made where missing and held against other writers, then the new subjects', then those of the known.
  var reads: [SQLStatement] {
    logs.sorted { $0.app < $1.app }.map { log in
      SQLStatement(
        lock: """
          INSERT INTO audit_log (app, log_id, key_id, size) VALUES ($1, $2, $3, 0)
          ON CONFLICT (app) DO UPDATE SET size = audit_log.size
          RETURNING log_id, size
          """, .text(log.app), .blob(log.id), .blob(keyId))
    }
      + new.map(\.claim) + checks.map(\.statement)
  }

  /// Puts the entries of `arrivals` at the ends of their logs.
  /// - Parameter rows: of `reads`.
  /// - Throws: `StaleKeys`.
  func write(_ arrivals: [Inbox.Arrival], _ rows: [SQLRows], _ writes: inout SQLWrites) throws {
    try checkKeys(rows.dropFirst(logs.count))
    for (log, found) in zip(logs.sorted { $0.app < $1.app }, rows) {
      guard let row = found.first, row.blob(0) == log.id else { throw StaleKeys() }
      let size = row.int(1)
      var next = size
      for arrival in arrivals where arrival.event.app == log.app {
        for entry in entries[arrival.index] {
          writes.add(entry.insert(at: next))
          next += 1
        }
      }
      // Equal statements side by side: a store can run them as one.
      for arrival in arrivals where arrival.event.app == log.app { writes.add(archived[arrival.index].insert) }
      guard next > size else { continue }
      if let filing = trail.file(log.app, from: size, to: next) { writes.add(filing) }
      let grow = SQLStatement(
        "UPDATE audit_log SET size = $3 WHERE app = $1 AND size = $2 RETURNING size", .text(log.app), .integer(size),
        .integer(next))
      writes.add(grow) { if $0.isEmpty { throw StaleKeys() } }
    }
  }

  /// Every key of this batch is what its row holds now, so none that has been destroyed is used.
  private func checkKeys(_ rows: ArraySlice<SQLRows>) throws {
    for (key, found) in zip(new, rows) {
      guard let row = found.first, key.isStored(subject: row[0], wrapped: row[1]) else { throw StaleKeys() }
    }
    for (check, found) in zip(checks, rows.dropFirst(new.count)) where found.first?.int(0) != check.count {
      throw StaleKeys()
    }
  }

  /// What is in the log now, by app, for those who wait for it.
  func entryIds(of outcomes: [Acceptance]) -> [EntryWaiters.Key] {
    zip(events, zip(entries, outcomes)).flatMap { event, arrived in
      arrived.1.isSettled ? arrived.0.map { EntryWaiters.Key(app: event.app, entryId: $0.entryId) } : []
    }
  }
}
