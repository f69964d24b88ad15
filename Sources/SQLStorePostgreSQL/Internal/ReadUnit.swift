// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import PostgreSQL
internal import SQLStore

/// Reads that go in one round trip: single statements as they are, each its own snapshot; several of one call in one
/// read-only transaction, whose snapshot is taken after all of these calls were made and so serves them all.
struct ReadUnit {
  private static let begin = SQLStatement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
  private static let attempts = 4

  let members: [ReadJob]
  private let isTransaction: Bool
  private var failure: (error: PostgreSQLError, member: Int?)?
  private var isRolledBack = false
  private var runs: [StatementRun] = []
  private var usedBatches = false

  struct Outcome {
    var done: [ReadJob] = []
    var failed: [(ReadJob, SQLStoreError)] = []
    var again: [ReadJob] = []
  }

  init(_ members: [ReadJob]) {
    self.members = members
    isTransaction = members.contains { $0.statements.count > 1 }
  }

  mutating func start(_ session: Session) throws(PostgreSQLError) {
    if isTransaction { try session.send(Self.begin, .begin) }
    for member in members {
      member.attempts += 1
      member.rows.removeAll(keepingCapacity: true)
    }
    runs = StatementRun.runs(members.map(\.statements))
    let batches = !members.contains(where: \.isPlain)
    for (number, run) in runs.enumerated() {
      if try session.send(run, number: number, batches: batches) { usedBatches = true }
    }
    if isTransaction { try session.send(WriteUnit.commit, .commit) }
    try session.synchronize()
  }

  /// Takes one result.
  /// - Returns: the outcome, when with this the unit is over.
  mutating func take(_ slot: Session.Slot, _ result: QueryResult, _ session: Session) throws(PostgreSQLError)
    -> Outcome?
  {
    switch (slot, result.status) {
    case (.sync, _):
      guard let failure else { return Outcome(done: members) }
      if isTransaction, !isRolledBack {
        isRolledBack = true
        try session.send(WriteUnit.rollback, .rollback)
        try session.synchronize()
        return nil
      }
      return sort(failure.error, by: failure.member)
    case (.statement(let job), .done):
      do throws(PostgreSQLError) { members[job].rows.append(try SQLRows(result)) } catch { note(error, job) }
    case (.batch(let number, let answer), .done):
      do throws(PostgreSQLError) {
        let run = runs[number]
        for (job, rows) in zip(run.jobs, try answer.split(result, of: run)) { members[job].rows.append(rows) }
      } catch {
        note(error, nil)
      }
    case (.statement(let job), .failed(let error)): note(error, job)
    case (_, .failed(let error)): note(error, nil)
    default: break
    }
    return nil
  }

  private mutating func note(_ error: PostgreSQLError, _ member: Int?) {
    if failure == nil { failure = (error, member) }
  }

  /// Nothing was changed by it, so whoever can wait has it done again.
  func lost(_ error: PostgreSQLError) -> Outcome { sort(failure?.error ?? error, by: failure?.member) }

  private func sort(_ error: PostgreSQLError, by member: Int?) -> Outcome {
    var outcome = Outcome()
    let isTransient = error.isConflict || error.isConnectionLost || error.isStalePlan
    for (number, job) in members.enumerated() {
      if members.count > 1 || usedBatches || (isTransient && job.attempts < Self.attempts) {
        job.isPlain = job.isPlain || (!isTransient && usedBatches)
        job.isAlone = job.isAlone || (!isTransient && (member == nil || member == number))
        outcome.again.append(job)
      } else {
        outcome.failed.append((job, SQLStoreError(error)))
      }
    }
    return outcome
  }
}
