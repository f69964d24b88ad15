// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// A service's store: plans of reads and writes over SQL that is the same for every engine.
///
/// A transaction is a plan, not a closure over a connection: statements to read, a pure decision over their rows, the
/// writes it asks for. So the same code is one member of a group commit on SQLite and two round trips on PostgreSQL.
public protocol SQLStore: Sendable {
  /// Brings the schema up to date. Blocking; called at start, before anything else.
  /// - Throws: `SQLStoreError` when a migration that was applied has changed since, when the store's schema is newer
  ///   than these migrations know (by more than one version where replicas share it), or when one fails (the store is
  ///   then as it was before that one).
  func migrate(_ migrations: [Migration]) throws

  /// Runs `statements` in one snapshot that holds every write acknowledged before the call. In place, without
  /// suspending, where the engine is embedded.
  /// - Throws: `SQLStoreError`.
  func read(_ statements: [SQLStatement]) async throws -> [SQLRows]

  /// Runs `reads`, then `decide`, then the writes it asked for, as one transaction, and returns once that is durable.
  ///
  /// - Parameters:
  ///   - reads: run in order inside the transaction; may be DML with `RETURNING`, which is undone with the rest. Behind a
  ///     statement that is a lock, they see all that earlier writes of that row left; before it, or without one, what
  ///     writers beside it commit meanwhile may be missing.
  ///   - decide: may be run again, so it has no side effects. Throwing rolls back this write alone; its error is what
  ///     the caller gets, after everything it saw is durable.
  /// - Throws: what `decide` or a check threw, or `SQLStoreError`.
  func write<R: Sendable>(
    _ reads: [SQLStatement], _ decide: @escaping @Sendable (_ rows: [SQLRows], _ writes: inout SQLWrites) throws -> R
  ) async throws -> R

  /// The calling thread has handled everything it received at once: ends the read transaction kept over it. A thread
  /// that calls this has its reads in one such transaction from then on; reads on others have one each.
  func turnEnded()

  /// Refuses new work, finishes what is queued and lets go of the store. Blocking.
  func close()

  var statistics: SQLStoreStatistics { get }

  /// Changes with every write, if all writes go through this object, one after the other; nil where other processes write
  /// too.
  var stamps: WriteStamps? { get }

  /// Whether statements of one text that follow one another run as one, so that each of many rows is best asked for by a
  /// statement of its own, by its whole key. Elsewhere a statement costs as much as several rows, and lists are better.
  var joinsEqualStatements: Bool { get }

  /// Whether a commit logs each page that it changed, whole: then an index whose rows come in no order costs a page with
  /// nearly every row, and a table that is filled with many rows at once, in its order, takes its place. Elsewhere the
  /// changes are logged, and such a table would be the dearer one.
  var logsWholePages: Bool { get }

  /// Writes a copy of everything to a new file, as one snapshot shows it, while reads and writes go on.
  /// - Parameters:
  ///   - path: absolute; of a file that does not exist. It is there whole or not at all.
  ///   - changes: run on the copy, before it gets its name.
  /// - Returns: its size in bytes.
  /// - Throws: `SQLStoreError`; also where the engine has tools of its own for this.
  func copy(to path: String, changing changes: [SQLStatement]) async throws -> Int64
}

extension SQLStore {
  public var stamps: WriteStamps? { nil }

  public var joinsEqualStatements: Bool { false }

  public func copy(to path: String, changing changes: [SQLStatement]) async throws -> Int64 {
    throw SQLStoreError(.failed, "this store is copied with its engine's own tools")
  }

  /// Whether this process's writes are all there are, and are decided and committed one after the other. False: others
  /// write beside it, and one that was decided later may be committed earlier.
  public var hasOneWriter: Bool { stamps != nil }

  /// Runs one statement in a snapshot of its own.
  public func read(_ statement: SQLStatement) async throws -> SQLRows { try await read([statement])[0] }
}
