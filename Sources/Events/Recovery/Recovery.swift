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
  struct Ended: Error {}

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
}
