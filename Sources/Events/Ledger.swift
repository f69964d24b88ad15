// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC
public import RPC
public import SQLStore

/// Every write of a service goes through its ledger: the subject's head, the service's own rows, the outbox rows that
/// carry the audit records, and the idempotency record are one transaction, and the caller hears of it after the commit.
public struct Ledger: Sendable {
  public let store: any SQLStore
  /// The service's name, in every event.
  public let source: String
  /// This store's, in every event.
  public let epoch: String
  /// The services that get every event of this one.
  public let subscribers: [String]
  public let clock: any WallClock

  /// - Precondition: `Ledger.migrations` are applied.
  public init(
    store: any SQLStore, source: String, subscribers: [String] = ["audit-service"], clock: any WallClock = SystemClock()
  ) async throws {
    fatalError("pending")
  }

  /// Changes `subject`.
  ///
  /// - Parameters:
  ///   - others: further subjects whose heads the write takes; each gets its event.
  ///   - context: who asks, until when, and under which idempotency key.
  ///   - method: the method's name, part of the key's scope.
  ///   - params: compared when a key comes again.
  ///   - reads: what `decide` wants to know, run inside the transaction.
  ///   - stored: the result as kept for repeats: without bearer secrets.
  ///   - decide: pure, can be run again; throwing rolls back everything.
  /// - Throws: what `decide` threw; FAILED_PRECONDITION `subjectDeleted`, `idempotencyKeyReused`; UNAVAILABLE when the
  ///   store fails, with what is known of the outcome.
  public func write<P: Encodable & Sendable, R: Codable & Sendable>(
    _ subject: Subject, also others: [Subject] = [], _ context: CallContext, method: String, params: P,
    reads: [SQLStatement] = [], stored: @escaping @Sendable (R) -> R = { $0 },
    _ decide: @escaping @Sendable (_ rows: [SQLRows], _ change: inout Change) throws -> R
  ) async throws -> R {
    fatalError("pending")
  }

  /// `store.read` with the store's errors as callers are told them.
  public func read(_ statements: [SQLStatement]) async throws(RPCError) -> [SQLRows] { fatalError("pending") }

  /// `generation, seq, state` (1: deleted) of a subject, or no row. For reads that show the revision.
  public static func headStatement(_ subject: Subject) -> SQLStatement {
    SQLStatement(
      "SELECT generation, seq, state FROM subject_head WHERE app = $1 AND subject = $2", .text(subject.app),
      .text(subject.id))
  }
}
