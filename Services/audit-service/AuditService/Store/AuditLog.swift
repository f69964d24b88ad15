// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import Events
internal import JSONRPC
internal import SQLStore
internal import Threading

/// Appends to the apps' logs: the one writer of `audit_log`, `audit_subject`, `audit_entry`, `audit_trail` and `audit_event`.
///
/// A batch is one transaction: the inbox rows, the new subjects, the entries at `size`, `size + 1`, … and the logs' new
/// sizes. Entries are hashed and sealed before it, with cached keys; inside it these are compared with the rows, and a
/// batch that was prepared with others writes nothing and is prepared again.
struct AuditLog: Sendable {
  private let store: any SQLStore
  private let inbox: Inbox
  private let key: AuditKey
  private let waiters: EntryWaiters
  private let subjects = SubjectKeyCache()
  private let logIds = Lock<[String: [UInt8]]>([:])

  init(store: any SQLStore, key: AuditKey, waiters: EntryWaiters) {
    self.store = store
    self.key = key
    self.waiters = waiters
    inbox = Inbox(store: store, heedsHeads: false)
  }

  /// Takes a batch of events, each with effect once and in order per subject and source; those of older generations and
  /// of deleted subjects too.
  /// - Parameter overGaps: as `Inbox.accept`.
  /// - Returns: one outcome an event, in order.
  func append(_ events: [TakenEvent], overGaps: Bool = false) async throws -> [Acceptance] {
    let roster = Roster(events.lazy.map(\.event))
    // What makes a batch stale (a subject or log made by another replica, a subject erased) is read before it is prepared
    // again, and is rare: a handful of rounds is far more than it takes.
    for round in 0..<8 {
      let keys = try await look(up: roster, again: round > 0)
      let batch = try prepare(events, roster, keys)
      do {
        let outcomes = try await inbox.accept(batch.events, overGaps: overGaps, reads: batch.reads, apply: batch.write)
        waiters.arrived(batch.entryIds(of: outcomes))
        return outcomes
      } catch is StaleKeys {
        continue
      }
    }
    throw RPCError.aborted("the subjects' keys kept changing", reason: "writeConflict")
  }

  /// How many events before this one are missing, and how its subject is named here.
  func gap(before event: Event) async throws -> (missing: Int64, subject: Subject) {
    let reference = SubjectName(of: event).reference(key)
    let subject = Subject(app: event.app, id: SubjectName.referencePrefix + Hex.encode(reference))
    let rows = try await store.read(
      SQLStatement(
        "SELECT MAX(seq) FROM inbox WHERE app = $1 AND subject = $2 AND source = $3", .text(event.app),
        .text(subject.id), .text(event.source)))
    return (event.seq - (rows[0].optionalInt(0) ?? 0) - 1, subject)
  }

  func isLossAccepted() async throws -> Bool { try await ArchiveLoss.isAccepted(in: store) }

  /// The keys of the roster's subjects, nil for those that have none yet. Asks the store for what the caches lack, or for
  /// all when `again`.
  private func look(up roster: Roster, again: Bool) async throws -> [SubjectKey?] {
    var keys = again ? Array(repeating: nil, count: roster.names.count) : subjects.find(roster.names)
    let missing = keys.indices.filter { keys[$0] == nil }
    let apps = again ? roster.apps : logIds.withLock { logIds in roster.apps.filter { logIds[$0] == nil } }
    guard !(missing.isEmpty && apps.isEmpty) else { return keys }
    let references = missing.map { roster.names[$0].reference(key) }
    let rows = try await store.read(
      apps.map { SQLStatement("SELECT log_id FROM audit_log WHERE app = $1", .text($0)) }
        + zip(missing, references).map { SubjectKey.find(roster.names[$0].app, $1, roster.names[$0].generation) })
    logIds.withLock { logIds in
      for (app, found) in zip(apps, rows) { if let row = found.first { logIds[app] = row.blob(0) } }
    }
    var added: [(name: SubjectName, key: SubjectKey)] = []
    for (index, found) in rows.dropFirst(apps.count).enumerated() {
      guard let row = found.first else { continue }
      let name = roster.names[missing[index]]
      let read = try SubjectKey(name, reference: references[index], row, key)
      keys[missing[index]] = read
      added.append((name, read))
    }
    subjects.add(added)
    return keys
  }

  /// Hashes and seals. A subject or log that is not stored yet gets a candidate, which the transaction puts in.
  private func prepare(_ events: [TakenEvent], _ roster: Roster, _ known: [SubjectKey?]) throws -> AppendBatch {
    let keys = try zip(roster.names, known).map { try $1 ?? .candidate($0, key) }
    var batch = AppendBatch(
      keyId: key.id, known: known.compactMap { $0 }, new: zip(keys, known).filter { $1 == nil }.map(\.0),
      listing: !store.joinsEqualStatements, trail: SubjectTrail(store))
    var logs: [String: String] = [:]
    for app in roster.apps {
      let id = logIds.withLock { $0[app] } ?? Random.bytes(16)
      logs[app] = Hex.encode(id)
      batch.add(log: id, of: app)
    }
    var stock = RandomStock()
    var log = (app: "", id: "")
    for (taken, place) in zip(events, roster.places) {
      giveWay()
      let event = taken.event
      if log.app != event.app { log = (event.app, logs[event.app]!) }
      let subject = keys[place]
      let entries = try taken.records.map {
        try NewEntry(
          $0, of: event, logId: log.id, subject: subject.isErased ? subject.withFreshSubject() : subject,
          random: { stock.take($0) })
      }
      batch.add(
        event, as: subject.alias, entries,
        try ArchivedEvent(
          event, of: subject.isErased ? subject.withFreshSubject() : subject, random: { stock.take($0) }))
    }
    return batch
  }
}
