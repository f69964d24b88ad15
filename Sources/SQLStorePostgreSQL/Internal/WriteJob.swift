// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import PostgreSQL
internal import SQLStore

/// One write waiting for, or in, a group. Its mutable parts are touched by the store's thread only, hence the unchecked
/// Sendable.
class WriteJob: @unchecked Sendable {
  /// Of the rows its lock statements name.
  struct Lock: Hashable, Comparable {
    let values: [SQLValue]

    /// Some order, the same in every process.
    static func < (one: Lock, other: Lock) -> Bool {
      for (a, b) in zip(one.values, other.values) where a != b {
        switch (a, b) {
        case (.text(let a), .text(let b)): return a < b
        case (.integer(let a), .integer(let b)): return a < b
        default: return "\(a)" < "\(b)"
        }
      }
      return one.values.count < other.values.count
    }
  }

  let reads: [SQLStatement]
  let locks: [Lock]
  /// Monotonic milliseconds: not begun any more after that.
  let expires: Int64
  /// To be run in a transaction of its own.
  var isAlone: Bool
  /// To be run statement by statement.
  var isPlain = false
  var attempts = 0
  /// What the reads returned in the present attempt.
  var rows: [SQLRows] = []
  var writes = SQLWrites()

  init(_ reads: [SQLStatement], expires: Int64) {
    self.reads = reads
    self.expires = expires
    locks = reads.filter(\.isLock).map { Lock(values: $0.parameters) }
    // Without the one row that orders it, nothing says which writes it may share a transaction with.
    isAlone = locks.count != 1
  }

  /// Decides and keeps the result; may be called again.
  func decide() throws { fatalError("abstract") }
  /// Keeps an error in place of a result.
  func fail(_ error: any Error) { fatalError("abstract") }
  /// Tells the caller what was kept last.
  func finish() { fatalError("abstract") }
}

final class TypedWriteJob<R: Sendable>: WriteJob, @unchecked Sendable {
  private let decision: @Sendable (_ rows: [SQLRows], _ writes: inout SQLWrites) throws -> R
  private let caller: UnsafeContinuation<R, any Error>
  private var outcome: Result<R, any Error>?

  init(
    _ reads: [SQLStatement], expires: Int64,
    _ decision: @escaping @Sendable (_ rows: [SQLRows], _ writes: inout SQLWrites) throws -> R,
    caller: UnsafeContinuation<R, any Error>
  ) {
    self.decision = decision
    self.caller = caller
    super.init(reads, expires: expires)
  }

  override func decide() throws {
    writes.removeAll()
    outcome = .success(try decision(rows, &writes))
    for write in writes.all { try write.statement.checkText() }
  }
  override func fail(_ error: any Error) { outcome = .failure(error) }
  override func finish() { caller.resume(with: outcome!) }
}

/// One call of `read`. As with `WriteJob`, its mutable parts are touched by the store's thread only.
final class ReadJob: @unchecked Sendable {
  let statements: [SQLStatement]
  let expires: Int64
  var isAlone = false
  /// To be run statement by statement.
  var isPlain = false
  var attempts = 0
  var rows: [SQLRows] = []
  private let caller: UnsafeContinuation<[SQLRows], any Error>

  init(_ statements: [SQLStatement], expires: Int64, caller: UnsafeContinuation<[SQLRows], any Error>) {
    self.statements = statements
    self.expires = expires
    self.caller = caller
  }

  func finish() { caller.resume(returning: rows) }
  func fail(_ error: any Error) { caller.resume(throwing: error) }
}
