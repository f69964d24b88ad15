// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import RPC
internal import SQLStore
internal import SettingsContracts

/// Reads and changes subjects' records, each together with the policies it was made under.
struct RecordStore: Sendable {
  let ledger: Ledger
  let shelf: PolicyShelf
  let regulations: RegulationTable
  private let subjects: SubjectShelf

  init(_ ledger: Ledger, _ regulations: RegulationTable) {
    self.ledger = ledger
    self.regulations = regulations
    shelf = PolicyShelf(ledger.store)
    subjects = SubjectShelf(ledger)
  }

  private var store: any SQLStore { ledger.store }

  /// How often policies may be published while one call runs before it gives up.
  private static let patience = 8

  /// What is known of each, in one snapshot, and the policies of the app at that moment.
  /// - Precondition: all are of the same app, and there is one.
  func read(_ addressees: [Addressee]) async throws -> (views: [SubjectView], policy: PolicyHistory) {
    let statements = addressees.map(SubjectView.statement)
    for _ in 0..<Self.patience {
      let views = try await ledger.read(statements).map(SubjectView.init)
      if let policy = try await policy(addressees[0].subject.app, views[0].policyRevision) { return (views, policy) }
    }
    throw Self.restless
  }

  /// What is in memory of it, if that is what the store holds.
  func known(_ addressee: Addressee) -> KnownSubject? { subjects.find(addressee) }

  func read(_ addressee: Addressee) async throws -> KnownSubject {
    if let known = subjects.find(addressee) { return known }
    let stamp = subjects.stamp(of: addressee)
    let (views, policy) = try await read([addressee])
    let known = KnownSubject(views[0], policy, regulations)
    if let stamp { subjects.keep(known, of: addressee, stamp: stamp) }
    return known
  }

  /// The app's policies as they are now.
  func policy(_ app: String) async throws -> PolicyHistory {
    let rows = try await ledger.read([
      SQLStatement("SELECT revision FROM consent_app WHERE app = $1", .text(app))
    ])
    let revision = rows[0].first?.int(0) ?? 0
    if let policy = shelf.history(app, revision: revision) { return policy }
    return try await shelf.load(app)
  }

  /// Changes a record, records why, and answers with the state after it.
  ///
  /// - Parameters:
  ///   - named: the client's name for the decision; a repeat gets the first outcome, for ever.
  ///   - edit: pure, can be run again.
  /// - Throws: what `edit` throws, and as `Ledger.write`.
  func change<P: Encodable & Sendable>(
    _ addressee: Addressee, _ context: CallContext, method: String, params: P, named: NamedDecision? = nil,
    also reads: [SQLStatement] = [], locale: String?,
    _ edit: @escaping @Sendable (_ edit: inout RecordEdit, _ rows: [SQLRows]) throws -> Void
  ) async throws -> ConsentState {
    let app = addressee.subject.app
    let statements =
      [SubjectView.statementOfWrite(addressee)] + (named.map { [$0.statement(addressee.subject)] } ?? []) + reads
    let regulations = regulations
    for _ in 0..<Self.patience {
      // Whether it is still the app's is seen inside the transaction.
      let policy: PolicyHistory
      if let known = shelf.latest(app) { policy = known } else { policy = try await shelf.load(app) }
      do {
        let state = try await ledger.write(
          addressee.subject, context, method: method, params: params, reads: statements,
          kept: KeptState.init, restored: \.state
        ) { rows, change in
          if let named, let first = try named.firstOutcome(rows[1]) {
            change.leaveUnchanged()
            return first
          }
          let view = try SubjectView(rows[0])
          guard view.policyRevision == policy.revision else { throw PolicyMoved() }
          var draft = RecordEdit(
            addressee, view, policy, regulations, requestGPC: context.gpc, now: change.now)
          try edit(&draft, Array(rows.dropFirst(named == nil ? 1 : 2)))
          return try draft.finish(&change, named: named, locale: locale)
        }
        return state.lacksTexts ? state.withTexts(of: try await self.policy(app)) : state
      } catch is PolicyMoved {
        _ = try await shelf.load(app)
      } catch let error as RPCError {
        if context.gpc, addressee.isSelf, method != ConsentMethods.signal.name,
          error.code == .failedPrecondition || error.code == .invalidParams
        {
          // The signal holds although the call is refused. Should it not be kept now: it comes with the next call.
          try? await keepSignal(addressee, context)
        }
        throw RefusalText.told(error, locale: locale)
      }
    }
    throw Self.restless
  }

  /// Keeps the Global Privacy Control that a read came with, and what it means, should that be news.
  /// - Parameter known: the addressee before.
  /// - Returns: the addressee after.
  func keepingSignal(
    _ addressee: Addressee, _ context: CallContext, _ known: KnownSubject, at now: Timestamp
  ) async throws -> KnownSubject {
    guard context.gpc, addressee.isSelf, !known.view.isDeleted else { return known }
    var edit = RecordEdit(addressee, known.view, known.policy, regulations, requestGPC: true, now: now)
    guard edit.isPending else { return known }
    try await keepSignal(addressee, context)
    return try await read(addressee)
  }

  /// Not under the call's idempotency key, whose outcome is another.
  private func keepSignal(_ addressee: Addressee, _ context: CallContext) async throws {
    var context = context
    context.idempotencyKey = nil
    _ = try await change(
      addressee, context, method: ConsentMethods.signal.name, params: ConsentSignalParams(gpc: true), locale: nil
    ) { _, _ in }
  }

  /// The history of that revision, or nil when the app has moved on meanwhile.
  private func policy(_ app: String, _ revision: Int64) async throws -> PolicyHistory? {
    if let policy = shelf.history(app, revision: revision) { return policy }
    let policy = try await shelf.load(app)
    return policy.revision == revision ? policy : nil
  }

  /// The policies that a plan was made with are no longer the app's.
  private struct PolicyMoved: Error {}

  private static let restless = RPCError.unavailable(
    "policies were published all the while", reason: "policyMoved", retryAfterMs: 100)
}
