// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import SQLStore
internal import SQLite
internal import Threading

/// The members of one group commit and the transaction they share.
///
/// A refused member leaves no trace and the others in place. Savepoints do that, at a price: SQLite copies each page before
/// a member's first change to it. So they are taken only for a while after somebody was refused; without them a refusal
/// gives up the transaction, and its members run again, with savepoints.
struct Group {
  /// Groups without a refusal after which no more is expected soon.
  private static let calmAfter = 16
  /// Of a member for which nobody waits, before others have the core.
  private static let statementsATurn = 8

  private let connection: Connection
  /// All that have run, also the refused.
  private var members: [WriteJob] = []
  /// Of these, how many have rows in the open transaction.
  private var standing = 0
  /// The transaction was lost, by a full disk for instance: every member runs again by itself.
  private var isLost = false
  /// Groups that have been told since somebody was last refused.
  private var calmGroups = 0
  private var writes = SQLWrites()

  init(_ connection: Connection) { self.connection = connection }

  var count: Int { members.count }

  /// Runs a member in the shared transaction. Its outcome is kept until `tellAll()`.
  mutating func run(_ job: WriteJob) {
    members.append(job)
    perform(job)
  }

  private mutating func perform(_ job: WriteJob) {
    guard !isLost else { return }
    do {
      if !connection.isInTransaction { try connection.control("BEGIN IMMEDIATE") }
    } catch {
      isLost = true
      return
    }
    if standing == 0 {
      runFirst(job)
    } else if calmGroups >= Self.calmAfter {
      runTrusted(job)
    } else {
      runNext(job)
    }
    // SQLite rolls back by itself on some errors, and then savepoints are gone with the rest.
    if standing > 0 && !connection.isInTransaction { isLost = true }
  }

  /// Nothing else is in the transaction: it can be given up as a whole.
  private mutating func runFirst(_ job: WriteJob) {
    do {
      try execute(job)
      standing = 1
    } catch {
      job.fail(error)
      calmGroups = 0
      rollback()
    }
  }

  /// Nobody was refused for long: without a savepoint. If this one is, all of the transaction goes, and all run again.
  private mutating func runTrusted(_ job: WriteJob) {
    do {
      try execute(job)
      standing += 1
    } catch {
      rollback()
      standing = 0
      calmGroups = 0
      for member in members { perform(member) }
    }
  }

  private mutating func runNext(_ job: WriteJob) {
    do {
      try connection.control("SAVEPOINT member")
    } catch {
      return lose()
    }
    do {
      try execute(job)
      try connection.control("RELEASE member")
      standing += 1
    } catch {
      job.fail(error)
      calmGroups = 0
      do {
        try connection.control("ROLLBACK TO member")
        try connection.control("RELEASE member")
      } catch {
        lose()
      }
    }
  }

  struct Outcome {
    var commits = 0
    var writes = 0
    /// COMMIT failed in a way that leaves open what happened.
    var failure: SQLStoreError?
  }

  /// Makes the group durable. Afterwards every member has its outcome.
  mutating func commit() -> Outcome {
    var outcome = Outcome()
    if !isLost {
      guard standing > 0 else { return outcome }
      do throws(SQLStoreError) {
        try connection.commit()
        return Outcome(commits: 1, writes: standing)
      } catch  where error.kind == .outcomeUnknown {
        for member in members { member.fail(error) }
        outcome.failure = error
        return outcome
      } catch {
        lose()
      }
    }
    rollback()
    for (index, member) in members.enumerated() {
      switch commitAlone(member) {
      case .some(true):
        outcome.commits += 1
        outcome.writes += 1
      case .some(false): break
      case .none:
        for later in members[(index + 1)...] { later.fail(SQLStoreError(.unavailable, "the store has failed")) }
        outcome.failure = SQLStoreError(.outcomeUnknown, "COMMIT failed")
        return outcome
      }
    }
    return outcome
  }

  /// After the commit, once reads see it.
  func raise(_ stamps: WriteStamps) {
    for member in members { stamps.raise(member.touched) }
  }

  /// Tells every member its outcome and is empty again.
  mutating func tellAll() {
    for member in members { member.finish() }
    members.removeAll(keepingCapacity: true)
    standing = 0
    isLost = false
    calmGroups += 1
  }

  /// A member in a transaction of its own. Nil: nobody can know whether it was committed.
  private mutating func commitAlone(_ job: WriteJob) -> Bool? {
    do {
      try connection.control("BEGIN IMMEDIATE")
      try execute(job)
    } catch {
      job.fail(error)
      rollback()
      return false
    }
    do throws(SQLStoreError) {
      try connection.commit()
      return true
    } catch {
      job.fail(error)
      if error.kind == .outcomeUnknown { return nil }
      rollback()
      return false
    }
  }

  private mutating func execute(_ job: WriteJob) throws {
    var rows: [SQLRows] = []
    rows.reserveCapacity(job.reads.count)
    for statement in job.reads { rows.append(try connection.rows(statement)) }
    writes.removeAll()
    try job.decide(rows, &writes)
    job.touched = writes.touched
    for (index, write) in writes.all.enumerated() {
      if writes.givesWay && index % Self.statementsATurn == 0 { giveWay() }
      if let check = write.check {
        try check(connection.rows(write.statement))
      } else {
        try connection.run(write.statement)
      }
    }
  }

  private mutating func lose() {
    isLost = true
    rollback()
  }

  /// Ends whatever transaction is still there.
  private func rollback() {
    if connection.isInTransaction { try? connection.control("ROLLBACK") }
  }
}
