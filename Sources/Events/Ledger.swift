// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC
public import Logging
public import RPC
public import SQLStore

/// Every write of a service goes through its ledger: the subject's head, the service's own rows, the outbox rows that
/// carry the audit records, and the idempotency record are one transaction, and the caller hears of it after the commit.
public struct Ledger: Sendable {
  public let store: any SQLStore
  /// The service's name, in every event.
  public let source: String
  /// This store's, in every event.
  public var epoch: String { history.epoch }
  /// The service that keeps every event, whole.
  public static let archive = "audit-service"
  /// The services that get every event of this one.
  public let subscribers: [String]
  public let clock: any WallClock
  let logger: Logger
  /// Raised by every write that left something in the outbox.
  let signal = CommitSignal()
  let positions: OutboxPositions
  /// Nil where rows are cheaply read: in the process that wrote them. Writes hand rows over in any order, and with one
  /// writer relays count on that of the commits: there a feed would have to be filled by the writer itself.
  let feed: OutboxFeed?
  let history: StoreHistory

  /// - Precondition: `Ledger.migrations` are applied.
  /// - Throws: `SQLStoreError`.
  public init(
    store: any SQLStore, source: String, subscribers: [String] = ["audit-service"],
    clock: any WallClock = SystemClock(), logger: Logger = .silent
  ) async throws {
    self.store = store
    self.source = source
    self.subscribers = subscribers
    self.clock = clock
    self.logger = logger
    feed = store.hasOneWriter ? nil : OutboxFeed()
    history = StoreHistory(epoch: try await StoreEpoch.read(store, now: clock.now()))
    positions = OutboxPositions(
      number: try await LedgerNumber.take(store), after: try await Outbox(store).lastPosition(),
      isOrdered: store.hasOneWriter)
  }

  /// Changes `subject`.
  ///
  /// - Parameters:
  ///   - others: further subjects whose heads the write takes; each gets its event.
  ///   - context: who asks, until when, and under which idempotency key.
  ///   - method: the method's name, part of the key's scope.
  ///   - params: compared when a key comes again.
  ///   - reads: what `decide` wants to know, run inside the transaction.
  ///   - reviving: whether `subject`, if it was erased, begins anew in its next generation. While its deletion runs it is
  ///     refused all the same.
  ///   - stored: the result as kept for repeats: without bearer secrets.
  ///   - decide: pure, can be run again; throwing rolls back everything.
  /// - Throws: what `decide` threw; FAILED_PRECONDITION `subjectDeleted`, `idempotencyKeyReused`; UNAVAILABLE when the
  ///   store fails, with what is known of the outcome.
  public func write<P: Encodable & Sendable, R: Codable & Sendable>(
    _ subject: Subject, also others: [Subject] = [], _ context: CallContext, method: String, params: P,
    reads: [SQLStatement] = [], reviving: Bool = false, stored: @escaping @Sendable (R) -> R = { $0 },
    _ decide: @escaping @Sendable (_ rows: [SQLRows], _ change: inout Change) throws -> R
  ) async throws -> R {
    try await write(
      subject, also: others, context, method: method, params: params, reads: reads, reviving: reviving, kept: stored,
      restored: { $0 }, decide)
  }

  /// The same with a form of its own for what is kept for repeats.
  /// - Parameters:
  ///   - kept: without bearer secrets.
  ///   - restored: what a repeat is given.
  public func write<P: Encodable & Sendable, R: Sendable, Kept: Codable & Sendable>(
    _ subject: Subject, also others: [Subject] = [], _ context: CallContext, method: String, params: P,
    reads: [SQLStatement] = [], reviving: Bool = false, kept: @escaping @Sendable (R) -> Kept,
    restored: @escaping @Sendable (Kept) -> R,
    _ decide: @escaping @Sendable (_ rows: [SQLRows], _ change: inout Change) throws -> R
  ) async throws -> R {
    try context.checkAlive()
    let subjects = others.isEmpty ? [subject] : Set(others + [subject]).sorted()
    let repetition = try IdempotentRequest(context, subject, method: method, params: params)
    var plan = subjects.map { Head.advance($0, reviving: reviving && $0 == subject) }
    let first = plan.count
    plan += subjects.map { $0 == subject ? repetition?.lookup ?? Head.standing($0) : Head.standing($0) }
    let main = plan.count - subjects.count + subjects.firstIndex(of: subject)!
    let own = plan.count
    plan += reads
    let ticket = positions.begin()
    defer { positions.end(ticket) }
    do {
      let (result, left) = try await store.write(plan) { rows, writes in
        let now = clock.now()
        let heads = try Heads(subjects, rows[first..<own])
        let repeated = repetition != nil && !rows[main][0].isNull(3)
        if repeated, let reply = try repetition!.outcome(rows[main][0], heads[subject]!, now) {
          throw Repeated(reply: reply)
        }
        for subject in subjects { writes.touch(subject.stampKey) }
        var change = Change(subject: subject, heads: heads, now: now, caller: context.principal)
        let result = try decide(Array(rows[own...]), &change)
        if change.isUnchanged { throw Unchanged(result: result) }
        writes.add(contentsOf: change.writes)
        let isShared = subscribers.contains { $0 != Self.archive }
        let events = (0..<heads.count).map {
          DecidedEvent(change, $0, source: source, epoch: epoch, isShared: isShared)
        }
        let left = try Outbox.add(
          events, for: subscribers, at: { positions.next(now) }, to: &writes, listing: feed != nil)
        if let repetition {
          writes.add(repetition.keep(try JSON.encodeString(kept(result)), heads[subject]!, now, again: repeated))
        }
        return (result, left)
      }
      feed?.add(left)
      if !subscribers.isEmpty { signal.raise() }
      return result
    } catch let repeated as Repeated {
      return restored(try JSON.decode(Kept.self, from: repeated.reply))
    } catch let unchanged as Unchanged<R> {
      return unchanged.result
    } catch let error as SQLStoreError {
      if error.kind == .outcomeUnknown { missRows() }
      throw told(error)
    }
  }

  /// Before a write's ticket ends that may have left, or may yet leave, rows in the outbox that no relay was handed.
  func missRows() {
    positions.doubt()
    feed?.skip()
  }

  /// `store.read` with the store's errors as callers are told them.
  public func read(_ statements: [SQLStatement]) async throws(RPCError) -> [SQLRows] {
    do {
      return try await store.read(statements)
    } catch {
      throw told(error as? SQLStoreError ?? SQLStoreError(.failed, "unexpected error"))
    }
  }

  /// `generation, seq, state` (0: live) of a subject, or no row. For reads that show the revision.
  public static func headStatement(_ subject: Subject) -> SQLStatement { Head.standing(subject) }

  private func told(_ error: SQLStoreError) -> RPCError {
    logger.error("the store failed", ["problem": .string(error.description)])
    return RPCError(error)
  }
}

/// Leaves the transaction with the first outcome of the same request.
private struct Repeated: Error { let reply: String }

/// Leaves the transaction with a result that changes nothing.
private struct Unchanged<R: Sendable>: Error { let result: R }
