// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC
internal import SQLStore

/// The steps of a recovery, each in transactions of its own that stop when the store is no longer marked.
extension Recovery {
  /// Subjects that were erased since the backup: the archive has nothing of them any more but that.
  /// - Returns: how many there were.
  func eraseWhatIsErased() async throws -> Int {
    var count = 0
    var last: Subject? = Subject(app: "", id: "")
    while let after = last {
      let heads = try await ledger.store.read(
        SQLStatement(
          """
          SELECT app, subject, generation FROM subject_head WHERE (app, subject) > ($1, $2) AND state <> 2
          ORDER BY app, subject LIMIT 500
          """, .text(after.app), .text(after.id)))
      for (app, rows) in Dictionary(grouping: heads, by: { $0.text(0) }) {
        let known = rows.map { ErasedSubjectsParams.Known(subject: $0.text(1), generation: $0.int(2)) }
        let erased = try await archive.erased(
          ErasedSubjectsParams(app: app, subjects: known), EventArchive.patience
        ).subjects.map { Subject(app: app, id: $0) }
        try await erase(all: erased)
        count += erased.count
      }
      last = heads.count == 500 ? heads.last.map { Subject(app: $0.text(0), id: $0.text(1)) } : nil
    }
    return count
  }

  private func erase(all subjects: [Subject]) async throws {
    guard !subjects.isEmpty else { return }
    let erase = erase
    // Whoever takes events at this moment, as another replica may, is waited for; who begins after it sees the heads.
    let holds = Set(subjects.map(\.app)).sorted().map {
      SQLStatement("UPDATE inbox SET seq = seq WHERE app = $1 AND subject = ''", .text($0))
    }
    try await ledger.store.write([RestoreMark.hold, RestoreMark.look] + holds) { rows, writes in
      guard !rows[1].isEmpty else { throw Ended() }
      for subject in subjects {
        writes.touch(subject.stampKey)
        let place: [SQLValue] = [.text(subject.app), .text(subject.id)]
        writes.add(
          SQLStatement("UPDATE subject_head SET state = 2 WHERE app = $1 AND subject = $2", parameters: place))
        for table in Self.erasures { writes.add(SQLStatement(table, parameters: place)) }
        for statement in erase(subject) { writes.add(statement) }
      }
    }
  }

  /// Of the ledger's own tables.
  private static let erasures: [StaticString] = [
    "DELETE FROM outbox WHERE app = $1 AND subject = $2", "DELETE FROM idempotency WHERE app = $1 AND subject = $2",
  ]

  /// - Returns: subjects of which the store has other events than the archive, and the `seq` from which on.
  func replay(
    _ app: String, _ own: UndeliveredEvents, _ count: (Int) -> Void
  ) async throws -> [Subject: Int64] {
    let log = ArchivedLog(archive: archive, app: app, source: ledger.source)
    var forks: [Subject: Int64] = [:]
    let found = try await log.start { marks in
      let contradicted = marks.filter(own.contradicts)
      for mark in contradicted {
        let subject = Subject(app: mark.app, id: mark.subject)
        forks[subject] = min(mark.seq, forks[subject] ?? .max)
      }
      return zip(marks, try await known(marks)).map { $1 && !contradicted.contains($0) }
    }
    guard let start = found else { return [:] }
    try await goBack(forks)
    do {
      try await log.each(after: start) { try await apply($0, count) }
    } catch is RecoveryProblem where !start.isEmpty {
      // Something earlier is missing: it was made out of order. Then all is looked through.
      try await log.each(after: "") { try await apply($0, count) }
    }
    return forks
  }

  /// Puts heads where the histories part. What was written from there on is written over by what the archive has.
  func goBack(_ forks: [Subject: Int64]) async throws {
    guard !forks.isEmpty else { return }
    try await ledger.store.write([RestoreMark.hold, RestoreMark.look]) { rows, writes in
      guard !rows[1].isEmpty else { throw Ended() }
      for (subject, seq) in forks {
        writes.add(
          "UPDATE subject_head SET seq = $3 WHERE app = $1 AND subject = $2", .text(subject.app), .text(subject.id),
          .integer(seq - 1))
      }
    }
  }

  func catchUp(with source: String, _ app: String, _ count: (Int) -> Void) async throws {
    let log = ArchivedLog(archive: archive, app: app, source: source)
    guard let start = try await log.start(isKnown: { try await isTaken($0, source) }) else { return }
    func deliver(_ events: [Event]) async throws -> [Event] {
      let outcomes = try await take(events.map(\.withoutReplay))
      count(outcomes.count { $0 == .applied })
      return zip(events, outcomes).filter { $1 == .gap }.map(\.0)
    }
    do {
      try await log.each(after: start, deliver)
    } catch is RecoveryProblem where !start.isEmpty {
      try await log.each(after: "", deliver)
    }
  }

  /// Applies those that are in turn.
  /// - Returns: those whose turn has not come.
  private func apply(_ events: [Event], _ count: (Int) -> Void) async throws -> [Event] {
    let others = ledger.subscribers.filter { $0 != Ledger.archive }
    let ticket = ledger.positions.begin()
    defer {
      ledger.missRows()
      ledger.positions.end(ticket)
    }
    let subjects = Array(Set(events.map(\.subjectOf)))
    let (applied, rest) = try await ledger.store.write(
      [RestoreMark.hold, RestoreMark.look] + subjects.map(Head.standing)
    ) { rows, writes in
      guard !rows[1].isEmpty else { throw Ended() }
      var heads = ReplayedHeads(subjects, rows.dropFirst(2))
      var rest = events
      var applied = 0
      var isMoving = true
      while isMoving {
        isMoving = false
        var waiting: [Event] = []
        for event in rest {
          switch heads.take(event) {
          case .known: break
          case .early: waiting.append(event)
          case .next:
            isMoving = true
            applied += 1
            try write(event, isDeleted: heads.isDeleted(event), others, &writes)
          }
        }
        rest = waiting
      }
      return (applied, rest)
    }
    count(applied)
    return rest
  }

  private func write(_ event: Event, isDeleted: Bool, _ others: [String], _ writes: inout SQLWrites) throws {
    writes.touch(event.subjectOf.stampKey)
    writes.add(Head.restore(event.subjectOf, Head(generation: event.generation, seq: event.seq)))
    guard !isDeleted else { return }
    do {
      for statement in try statements(event) { writes.add(statement) }
    } catch {
      throw RecoveryProblem.unreadable(entryId: event.entryId)
    }
    // Whether these had it is not known: inboxes take each event once.
    let now = ledger.clock.now()
    try Outbox.add([event.withoutReplay], for: others, at: { ledger.positions.next(now) }, to: &writes)
  }

  /// The last transaction: the events of this store's own that were in the place of others' follow these; then the next
  /// epoch begins.
  func end(after last: String?, _ own: [UndeliveredEvents.Entry]) async throws -> String {
    let now = ledger.clock.now()
    let ticket = ledger.positions.begin()
    defer {
      ledger.missRows()
      ledger.positions.end(ticket)
    }
    let subjects = Array(Set(own.map(\.event.subjectOf))).sorted()
    let plans = subjects.map { [Head.standing($0)] + rebase.reads($0) }
    let fixed = [RestoreMark.hold, RestoreMark.look]
    let epoch = try await ledger.store.write(fixed + plans.joined()) { rows, writes in
      guard !rows[1].isEmpty else { throw Ended() }
      let current = rows[0][0].text(0)
      let isLine = last.map { StoreEpoch.first(ofLineOf: $0) == StoreEpoch.first(ofLineOf: current) } ?? true
      let next = StoreEpoch.successor(of: isLine ? max(current, last ?? current) : last!)
      var place = fixed.count
      for (subject, plan) in zip(subjects, plans) {
        let found = rows[place..<place + plan.count]
        place += plan.count
        try follow(own.filter { $0.event.subjectOf == subject }, Array(found), epoch: next, now, &writes)
      }
      writes.add("UPDATE store_meta SET value = $1 WHERE name = 'epoch'", .text(next))
      writes.add(RestoreMark.removal)
      for statement in conclude(now) { writes.add(statement) }
      return next
    }
    ledger.history.begin(epoch)
    return epoch
  }

  /// Gives one subject's own events new numbers behind what is there.
  /// - Parameter rows: the head's, then those that `rebase` reads.
  private func follow(
    _ own: [UndeliveredEvents.Entry], _ rows: [SQLRows], epoch: String, _ now: Timestamp, _ writes: inout SQLWrites
  ) throws {
    let effects = try rebase.effects(own.map(\.event), Array(rows.dropFirst()))
    var head = rows[0].first.map { Head(generation: $0.int(0), seq: $0.int(1)) } ?? Head(generation: 1, seq: 0)
    let isDeleted = rows[0].first.map { $0.int(2) != 0 } ?? false
    for (entry, effects) in zip(own, effects) {
      head = Head(generation: head.generation, seq: head.seq + 1)
      var event = entry.event
      event.epoch = epoch
      event.generation = head.generation
      event.seq = head.seq
      event.replay?.effects = isDeleted ? RawJSON(Array("[]".utf8)) : effects
      writes.touch(event.subjectOf.stampKey)
      writes.add(Head.restore(event.subjectOf, head))
      for statement in try statements(event) { writes.add(statement) }
      for subscriber in ledger.subscribers { writes.add(entry.removal(for: subscriber)) }
      try Outbox.add([event], for: ledger.subscribers, at: { ledger.positions.next(now) }, to: &writes)
    }
  }
}
