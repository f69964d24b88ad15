// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import SQLStore
internal import SQLite
internal import Synchronization
internal import Threading

/// Reads in place, on whichever thread asks.
///
/// A thread that announces the ends of its turns (the socket thread) keeps one read transaction over a turn, since opening
/// one costs more than a read. That snapshot is let go as soon as a commit it does not hold has been acknowledged, so a
/// read never misses a write that was acknowledged before it began. Other threads take a connection from a pool for the
/// time of one call.
final class Readers: Sendable {
  private let file: DataFile
  /// Commits acknowledged, or about to be.
  private let commits: Commits
  private let idle = Lock<[Reader]?>([])
  private let turn = Lock<Turn>(Turn())
  private let turnThread = Atomic<UInt>(0)
  private let reads = Atomic<Int>(0)
  private let snapshots = Atomic<Int>(0)

  init(_ file: DataFile, commits: Commits) {
    self.file = file
    self.commits = commits
  }

  var counts: (reads: Int, snapshots: Int) {
    (reads.load(ordering: .relaxed), snapshots.load(ordering: .relaxed))
  }

  func read(_ statements: [SQLStatement]) throws(SQLStoreError) -> [SQLRows] {
    reads.add(1, ordering: .relaxed)
    let onTurnThread = turnThread.load(ordering: .relaxed) == ThreadSerial.current
    let result: Result<[SQLRows], SQLStoreError> =
      onTurnThread
      ? turn.withLock { turn in Result { () throws(SQLStoreError) in try self.read(statements, in: &turn) } }
      : Result { () throws(SQLStoreError) in try readAlone(statements) }
    return try result.get()
  }

  /// Ends the calling thread's turn, and makes it the one that has turns if no other is.
  func turnEnded() {
    let me = ThreadSerial.current
    let (_, owner) = turnThread.compareExchange(expected: 0, desired: me, ordering: .relaxed)
    guard owner == 0 || owner == me else { return }
    turn.withLock { $0.end() }
  }

  /// Later reads are refused.
  func close() {
    idle.withLock { $0 = nil }
    turn.withLock { turn in
      turn.end()
      turn.reader = nil
      turn.isClosed = true
    }
  }

  private func read(_ statements: [SQLStatement], in turn: inout Turn) throws(SQLStoreError) -> [SQLRows] {
    guard !turn.isClosed else { throw .closed }
    let acknowledged = commits.count
    if turn.snapshot != acknowledged { turn.end() }
    let reader: Reader
    if let open = turn.reader { reader = open } else { reader = Reader(try file.reader()) }
    turn.reader = reader
    if turn.snapshot == nil {
      try reader.connection.control("BEGIN")
      turn.snapshot = acknowledged
      snapshots.add(1, ordering: .relaxed)
    }
    do throws(SQLStoreError) {
      return try reader.run(statements)
    } catch {
      turn.end()
      throw error
    }
  }

  private func readAlone(_ statements: [SQLStatement]) throws(SQLStoreError) -> [SQLRows] {
    let reader = try take()
    defer { idle.withLock { $0?.append(reader) } }
    snapshots.add(1, ordering: .relaxed)
    // One statement is a snapshot by itself.
    guard statements.count > 1 else { return try reader.run(statements) }
    try reader.connection.control("BEGIN")
    defer { try? reader.connection.control("COMMIT") }
    return try reader.run(statements)
  }

  private func take() throws(SQLStoreError) -> Reader {
    let taken: Result<Reader?, SQLStoreError> = idle.withLock { idle in
      idle == nil ? .failure(.closed) : .success(idle!.popLast())
    }
    if let reader = try taken.get() { return reader }
    return Reader(try file.reader())
  }

  private struct Turn {
    var reader: Reader?
    /// Commits that the open transaction is known to hold; nil when none is open.
    var snapshot: Int?
    var isClosed = false

    mutating func end() {
      guard snapshot != nil else { return }
      snapshot = nil
      try? reader?.connection.control("COMMIT")
    }
  }
}

/// Used by one thread at a time: the one that took it from the pool, or the turn's thread. Hence the unchecked Sendable.
private final class Reader: @unchecked Sendable {
  let connection: Connection
  init(_ connection: Connection) { self.connection = connection }

  func run(_ statements: [SQLStatement]) throws(SQLStoreError) -> [SQLRows] {
    var results: [SQLRows] = []
    results.reserveCapacity(statements.count)
    for statement in statements { results.append(try connection.rows(statement)) }
    return results
  }
}

/// How many group commits have been made.
final class Commits: Sendable {
  private let number = Atomic<Int>(0)
  var count: Int { number.load(ordering: .acquiring) }
  func add() { number.add(1, ordering: .releasing) }
}

extension SQLStoreError {
  static let closed = SQLStoreError(.unavailable, "the store is closed")
}
