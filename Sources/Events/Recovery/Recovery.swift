// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC
public import RPC
public import SQLStore

/// Brings a store that was restored from a backup up to date, from what audit-service has taken of the service's events.
///
/// - **Behind**: the archive has an event of this source whose `seq` is beyond the subject's head here. The newest events
///   of every app are compared: a backup lacks just those.
/// - **Replay**: events are applied in the order in which they were made, each in one transaction with its subject's head,
///   and only at `head + 1`. So it may stop anywhere and be run again, and nothing is done twice. Whatever else the head
///   says stays: a subject that is deleted here is not brought back.
/// - **Two histories**: a restored store that went on by itself, since audit-service was away, has events of its own in the
///   place of others'. They have not been delivered, since relays wait for the first look. What audit-service has goes
///   first; then they follow, with new numbers, and their effects are merged with what is there (`Rebase`).
/// - **Inbox**: what other services told since the backup is given to the subscriber's own inbox again, which takes each
///   event once.
/// - **End**: the store goes on in the next epoch of its line, so that events made from now on are told from those that
///   were made after the backup and are lost. From the first step to that moment it is marked, and is not served from.
public struct Recovery: Sendable {
  public typealias Take = @Sendable ([Event]) async throws -> [Acceptance]
  public typealias Statements = @Sendable (Event) throws -> [SQLStatement]

  let ledger: Ledger
  let archive: EventArchive
  let sources: [String]
  let statements: Statements
  let rebase: Rebase
  let take: Take
  let erase: @Sendable (Subject) -> [SQLStatement]
  let conclude: @Sendable (Timestamp) -> [SQLStatement]

  /// - Parameters:
  ///   - statements: what an own event does to the service's tables.
  ///   - rebase: how events of two histories are joined.
  ///   - sources: the services whose events this one takes.
  ///   - take: takes such events as `events.deliver` does.
  ///   - erase: removes what the service's tables hold of a subject.
  ///   - conclude: further writes of the last transaction.
  public init(
    _ ledger: Ledger, archive: EventArchive, statements: @escaping Statements, rebase: Rebase = .asTheyAre,
    sources: [String] = [], take: @escaping Take = { _ in [] },
    erase: @escaping @Sendable (Subject) -> [SQLStatement] = { _ in [] },
    conclude: @escaping @Sendable (Timestamp) -> [SQLStatement] = { _ in [] }
  ) {
    self.ledger = ledger
    self.archive = archive
    self.statements = statements
    self.rebase = rebase
    self.sources = sources
    self.take = take
    self.erase = erase
    self.conclude = conclude
  }

  /// Why the store may not be served from, as far as that is known.
  /// - Parameter looksThoroughly: also for undelivered events in the place of others'; reads the outbox.
  /// - Parameter deadline: for audit-service's answer.
  /// - Throws: `RPCError` when it cannot be asked; `SQLStoreError`.
  public func obstacle(within deadline: Deadline, looksThoroughly: Bool = true) async throws -> RecoveryNeed? {
    let isMarked = try await RestoreMark.isSet(in: ledger.store)
    let newest = try await newest(of: ledger.source, deadline)
    if ledger.history.isContested { return .contested }
    if isMarked { return .restored }
    if try await known(newest).contains(false) { return .behind }
    guard looksThoroughly, !newest.isEmpty else { return nil }
    let own = try await UndeliveredEvents.of(ledger)
    return newest.contains(where: own.contradicts) ? .contested : nil
  }

  /// Whether the store says of itself that it was restored.
  public func isMarked() async throws -> Bool { try await RestoreMark.isSet(in: ledger.store) }

  /// Whether a subscriber refused an event of this store because it has another in its place.
  public var isContested: Bool { ledger.history.isContested }

  /// Replays everything the store lacks.
  /// - Parameter report: told of every step.
  /// - Throws: `RecoveryProblem`; `RPCError` when audit-service or the store cannot be asked. The store stays marked, and
  ///   it can be run again.
  public func run(report: @escaping @Sendable (RecoveryProgress) -> Void) async throws -> RecoveryProgress {
    do {
      return try await replay(report)
    } catch is Ended {
      try await adoptEpoch()
      return RecoveryProgress()
    }
  }

  /// Another replica has brought the store to its end meanwhile.
  private struct Ended: Error {}

  /// Goes on in the epoch that the store is in.
  public func adoptEpoch() async throws {
    let epoch = try await state().epoch
    if epoch != ledger.epoch { ledger.history.begin(epoch) }
  }

  /// What other replicas may have changed.
  public func state() async throws -> (epoch: String, isMarked: Bool) {
    let rows = try await ledger.store.read([
      SQLStatement("SELECT value FROM store_meta WHERE name = 'epoch'"), RestoreMark.look,
    ])
    return (rows[0][0].text(0), !rows[1].isEmpty)
  }

  /// Whether replicas share the store.
  public var hasOneWriter: Bool { ledger.store.hasOneWriter }
  public var epoch: String { ledger.epoch }

  /// Marks the store, unless another replica has recovered it since `epoch` was read.
  private func begin(in epoch: String) async throws {
    try await ledger.store.write([RestoreMark.hold]) { rows, writes in
      guard rows[0][0].text(0) == epoch else { throw Ended() }
      writes.add(RestoreMark.marking)
    }
  }

  private func replay(_ report: @escaping @Sendable (RecoveryProgress) -> Void) async throws -> RecoveryProgress {
    var progress = RecoveryProgress()
    let epoch = try await state().epoch
    guard try await obstacle(within: EventArchive.patience) != nil else { throw Ended() }
    try await begin(in: epoch)
    let newest = try await newest(of: ledger.source)
    let own = try await UndeliveredEvents.of(ledger)
    var forks: [Subject: Int64] = [:]
    for app in Self.apps(newest) {
      progress.app = app
      forks.merge(
        try await replay(app, own) { count in
          progress.replayed += count
          report(progress)
        }
      ) { min($0, $1) }
    }
    for source in sources {
      for app in Self.apps(try await self.newest(of: source)) {
        progress.app = app
        try await catchUp(with: source, app) { count in
          progress.taken += count
          report(progress)
        }
      }
    }
    progress.erased = try await eraseWhatIsErased()
    let last = newest.max { $0.entryId < $1.entryId }?.epoch
    let rebased = own.events.filter { $0.event.seq >= forks[$0.event.subjectOf] ?? .max }
    progress.rebased = rebased.count
    progress.epoch = try await end(after: last, rebased)
    progress.app = nil
    report(progress)
    return progress
  }

  /// Takes what the archive has of other sources and this store's inbox has not: sources remove what was acknowledged, so
  /// after a restore nobody else would bring it.
  /// - Parameter age: events younger than this, in milliseconds, are still on their way.
  /// - Returns: how many were taken.
  public func catchUp(olderThan age: Int64) async throws -> Int {
    let limit = ledger.clock.now().milliseconds - age
    var taken = 0
    for source in sources {
      let newest = try await newest(of: source)
      let known = try await isTaken(newest, source)
      let lagging = zip(newest, known).filter { !$1 && ($0.time ?? 0) < limit }.map(\.0)
      for app in Self.apps(lagging) { try await catchUp(with: source, app) { taken += $0 } }
    }
    return taken
  }

  // MARK: What is known here

  static var newestPerApp: Int { 16 }

  private func newest(
    of source: String, _ deadline: Deadline = EventArchive.patience
  ) async throws -> [EventMark] {
    try await archive.marks(EventMarksParams(source: source, limit: Self.newestPerApp), deadline).marks
  }

  private static func apps(_ marks: [EventMark]) -> [String] { Set(marks.map(\.app)).sorted() }

  /// Of each, whether this store made it, or something after it.
  func known(_ marks: [EventMark]) async throws -> [Bool] {
    guard !marks.isEmpty else { return [] }
    let rows = try await ledger.store.read(marks.map { Head.standing(Subject(app: $0.app, id: $0.subject)) })
    return zip(marks, rows).map { mark, rows in mark.seq <= rows.first?.int(1) ?? 0 }
  }

  /// Of each, whether this store's inbox has it, or something after it.
  func isTaken(_ marks: [EventMark], _ source: String) async throws -> [Bool] {
    guard !marks.isEmpty else { return [] }
    let rows = try await ledger.store.read(
      marks.map {
        SQLStatement(
          "SELECT MAX(seq) FROM inbox WHERE app = $1 AND subject = $2 AND source = $3", .text($0.app),
          .text($0.subject), .text(source))
      })
    return zip(marks, rows).map { mark, rows in mark.seq <= rows[0].optionalInt(0) ?? 0 }
  }

  // MARK: Steps

  /// Subjects that were erased since the backup: the archive has nothing of them any more but that.
  /// - Returns: how many there were.
  private func eraseWhatIsErased() async throws -> Int {
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
  private func replay(
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
  private func goBack(_ forks: [Subject: Int64]) async throws {
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

  private func catchUp(with source: String, _ app: String, _ count: (Int) -> Void) async throws {
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
    defer { ledger.positions.end(ticket) }
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
  private func end(after last: String?, _ own: [UndeliveredEvents.Entry]) async throws -> String {
    let now = ledger.clock.now()
    let ticket = ledger.positions.begin()
    defer { ledger.positions.end(ticket) }
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
