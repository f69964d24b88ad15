// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import Events
internal import JSONRPC
internal import SQLStore
internal import Threading

/// Appends to the apps' logs: the one writer of `audit_log`, `audit_subject` and `audit_entry`.
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
    inbox = Inbox(store: store)
  }

  /// Takes a batch of events, each with effect once and in order per subject and source; those of older generations and
  /// of deleted subjects too.
  /// - Returns: one outcome an event, in order.
  func append(_ events: [Event]) async throws -> [Acceptance] {
    let names = events.map(SubjectName.init(of:))
    // What makes a batch stale (a subject or log made by another replica, a subject erased) is read before it is prepared
    // again, and is rare: a handful of rounds is far more than it takes.
    for round in 0..<8 {
      try await look(up: Set(names), again: round > 0)
      let batch = try prepare(events, names)
      do {
        let outcomes = try await inbox.accept(batch.events, reads: batch.reads, apply: batch.write)
        waiters.arrived(batch.entryIds(of: outcomes))
        return outcomes
      } catch is StaleKeys {
        continue
      }
    }
    throw RPCError.aborted("the subjects' keys kept changing", reason: "writeConflict")
  }

  /// Fills the caches with what is stored of these; all of it when `again`, else what they lack.
  private func look(up names: Set<SubjectName>, again: Bool) async throws {
    let sought = names.filter { again || subjects[$0] == nil }
    let apps = Set(names.map(\.app)).filter { app in again || logIds.withLock { $0[app] == nil } }
    guard !(sought.isEmpty && apps.isEmpty) else { return }
    let references = sought.map { ($0, $0.reference(key)) }
    let orderedApps = Array(apps)
    let rows = try await store.read(
      orderedApps.map { SQLStatement("SELECT log_id FROM audit_log WHERE app = $1", .text($0)) }
        + references.map { SubjectKey.find($0.0.app, $0.1, $0.0.generation) })
    for (app, found) in zip(orderedApps, rows) {
      if let row = found.first { logIds.withLock { $0[app] = row.blob(0) } }
    }
    for ((name, reference), found) in zip(references, rows.dropFirst(orderedApps.count)) {
      if let row = found.first { subjects.add(try SubjectKey(name, reference: reference, row, key), for: name) }
    }
  }

  /// Hashes and seals. A subject or log that is not stored yet gets a candidate, which the transaction puts in.
  private func prepare(_ events: [Event], _ names: [SubjectName]) throws -> AppendBatch {
    var batch = AppendBatch(keyId: key.id)
    // By app, in hexadecimal.
    var logs: [String: String] = [:]
    var keys: [SubjectName: SubjectKey] = [:]
    for (event, name) in zip(events, names) {
      let logId: String
      if let known = logs[event.app] {
        logId = known
      } else {
        let id = logIds.withLock { $0[event.app] } ?? Random.bytes(16)
        logId = Hex.encode(id)
        logs[event.app] = logId
        batch.add(log: id, of: event.app)
      }
      let subject: SubjectKey
      if let known = keys[name] {
        subject = known
      } else {
        let known = subjects[name]
        subject = try known ?? .candidate(name, key)
        keys[name] = subject
        batch.add(subject, isKnown: known != nil)
      }
      let entries = try event.records.map {
        try NewEntry(
          $0, of: event, logId: logId, subject: subject.isErased ? subject.withFreshSubject() : subject,
          random: Random.bytes)
      }
      batch.add(event, as: subject.alias, entries)
    }
    return batch
  }
}
