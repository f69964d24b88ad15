// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import SQLStore

/// One write waiting for, or in, a group. Its mutable parts are touched by the writer thread only, hence the unchecked
/// Sendable.
class WriteJob: @unchecked Sendable {
  let reads: [SQLStatement]
  /// What it wrote, for `WriteStamps`.
  var touched: [UInt64] = []

  init(_ reads: [SQLStatement]) { self.reads = reads }

  /// Decides and keeps the result; may be called again.
  func decide(_ rows: [SQLRows], _ writes: inout SQLWrites) throws { fatalError("abstract") }
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
    _ reads: [SQLStatement], _ decision: @escaping @Sendable (_ rows: [SQLRows], _ writes: inout SQLWrites) throws -> R,
    caller: UnsafeContinuation<R, any Error>
  ) {
    self.decision = decision
    self.caller = caller
    super.init(reads)
  }

  override func decide(_ rows: [SQLRows], _ writes: inout SQLWrites) throws {
    outcome = .success(try decision(rows, &writes))
  }
  override func fail(_ error: any Error) { outcome = .failure(error) }
  override func finish() { caller.resume(with: outcome!) }
}
