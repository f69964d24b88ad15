// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import PostgreSQL
internal import SQLStore

/// A transaction of one or more writes, each ordered by a row of its own, in two round trips on one connection: BEGIN and
/// everybody's reads, then, decided, everybody's writes and COMMIT. Writes with a check of what they returned take a third.
///
/// A member that refuses, or whose statement fails, costs the group its transaction: it is rolled back, the member runs
/// again by itself and the others without it. Nobody hears before the COMMIT has been answered.
struct WriteUnit {
  private enum Phase {
    case reading
    /// The COMMIT is in the pipeline behind the writes.
    case writing
    /// The writes' results are looked at before the COMMIT is sent.
    case checking
    case committing
    case rollingBack
  }

  /// What became of the members.
  struct Outcome {
    /// Have their results or errors.
    var finished: [WriteJob] = []
    /// To be run again.
    var again: [WriteJob] = []
    var committed = 0
    var refused = 0
  }

  static let begin = SQLStatement("BEGIN ISOLATION LEVEL READ COMMITTED")
  static let commit = SQLStatement("COMMIT")
  static let rollback = SQLStatement("ROLLBACK")
  private static let attempts = 8

  private(set) var members: [WriteJob]
  /// Others could have been in it.
  let isShared: Bool
  /// Monotonic milliseconds.
  let began: Int64
  private var phase = Phase.reading
  /// Its COMMIT is sent.
  var isCommitting: Bool { phase == .writing || phase == .committing }
  /// The first failure, and whose statement it was; nil when it was nobody's.
  private var failure: (error: PostgreSQLError, member: Int?)?
  private var isCommitted = false
  /// What was sent last, for those of its statements that went as one.
  private var runs: [StatementRun] = []
  private var usedBatches = false
  /// Results of the checked writes, by member, in order.
  private var checked: [[SQLRows]] = []
  /// What is known already, told when the transaction is over.
  private var outcome = Outcome()

  init(_ members: [WriteJob], at now: Int64) {
    self.members = members
    began = now
    isShared = members.contains { !$0.isAlone }
  }

  /// Sends what comes first.
  mutating func start(_ session: Session) throws(PostgreSQLError) {
    for member in members {
      member.attempts += 1
      member.rows.removeAll(keepingCapacity: true)
    }
    if members.count == 1, members[0].reads.isEmpty { return try decide(session) }
    try session.send(Self.begin, .begin)
    try send(members.map(\.reads), session)
    try session.synchronize()
  }

  private mutating func send(_ calls: [[SQLStatement]], _ session: Session) throws(PostgreSQLError) {
    runs = StatementRun.runs(calls)
    let batches = !members.contains(where: \.isPlain)
    for (number, run) in runs.enumerated() {
      if try session.send(run, number: number, batches: batches) { usedBatches = true }
    }
  }

  /// Takes one result.
  /// - Returns: the outcome, when with this the transaction is over and the connection free.
  mutating func take(_ slot: Session.Slot, _ result: QueryResult, _ session: Session) throws(PostgreSQLError)
    -> Outcome?
  {
    if case .sync = slot { return try synchronized(session) }
    switch result.status {
    case .failed(let error): note(error, slot)
    case .done: try done(slot, result)
    case .synchronized, .skipped: break
    }
    return nil
  }

  /// The connection has gone.
  /// - Returns: what is known of the members nevertheless.
  mutating func lost(_ error: PostgreSQLError) -> Outcome {
    if isCommitted {
      succeed()
    } else if failure == nil, phase == .writing || phase == .committing {
      // The COMMIT was on its way; whether it arrived, nobody can say.
      for member in members {
        member.fail(SQLStoreError(.outcomeUnknown, "the connection was lost during COMMIT: \(error.description)"))
      }
      outcome.finished += members
    } else if phase != .rollingBack {
      sort(failure?.error ?? error, by: failure?.member)
    }
    return outcome
  }

  private mutating func note(_ error: PostgreSQLError, _ slot: Session.Slot) {
    guard failure == nil, phase != .rollingBack else { return }
    switch slot {
    case .statement(let job): failure = (error, job)
    // The server went away while it committed: left open, `lost` says so. It cannot have been idle meanwhile.
    case .commit where error.isConnectionLost && error.sqlState != "25P03": break
    default: failure = (error, nil)
    }
  }

  private mutating func done(_ slot: Session.Slot, _ result: QueryResult) throws(PostgreSQLError) {
    switch slot {
    case .statement(let job):
      switch phase {
      case .reading: members[job].rows.append(try SQLRows(result))
      case .checking: checked[job].append(try SQLRows(result))
      default: break
      }
    case .batch(let number, let answer):
      guard phase == .reading || phase == .checking else { break }
      let run = runs[number]
      for (job, rows) in zip(run.jobs, try answer.split(result, of: run)) {
        if phase == .reading { members[job].rows.append(rows) } else { checked[job].append(rows) }
      }
    case .commit: isCommitted = result.isCommand("COMMIT")
    default: break
    }
  }

  private mutating func synchronized(_ session: Session) throws(PostgreSQLError) -> Outcome? {
    if isCommitted {
      succeed()
      return outcome
    }
    if phase == .rollingBack { return outcome }
    if let failure {
      sort(failure.error, by: failure.member)
      return try rollBack(session)
    }
    switch phase {
    case .reading: return try decide(session)
    case .checking: return try check(session)
    default: throw PostgreSQLError(sqlState: nil, message: "COMMIT was answered without a result")
    }
  }

  /// Asks the members what they want to write, and sends it.
  private mutating func decide(_ session: Session) throws(PostgreSQLError) -> Outcome? {
    var refused: [Int] = []
    var hasChecks = false
    for (number, member) in members.enumerated() {
      do {
        try member.decide()
        hasChecks = hasChecks || member.writes.all.contains { $0.check != nil }
      } catch {
        refused.append(number)
        member.fail(error)
      }
    }
    guard refused.isEmpty else {
      set(refused: refused)
      // Without reads nothing was begun.
      if phase == .reading, members.count == 1, members[0].reads.isEmpty { return outcome }
      return try rollBack(session)
    }
    if members.count == 1, members[0].reads.isEmpty { try session.send(Self.begin, .begin) }
    try send(members.map { $0.writes.all.map(\.statement) }, session)
    if hasChecks {
      phase = .checking
      checked = Array(repeating: [], count: members.count)
    } else {
      phase = .writing
      try session.send(Self.commit, .commit)
    }
    try session.synchronize()
    return nil
  }

  private mutating func decide(_ session: Session) throws(PostgreSQLError) {
    let over: Outcome? = try decide(session)
    // Refused before anything was sent: a synchronization point alone brings the outcome.
    if over != nil {
      phase = .rollingBack
      try session.synchronize()
    }
  }

  private mutating func check(_ session: Session) throws(PostgreSQLError) -> Outcome? {
    var refused: [Int] = []
    for (number, member) in members.enumerated() {
      do {
        for (write, rows) in zip(member.writes.all, checked[number]) { try write.check?(rows) }
      } catch {
        refused.append(number)
        member.fail(error)
      }
    }
    guard refused.isEmpty else {
      set(refused: refused)
      return try rollBack(session)
    }
    phase = .committing
    try session.send(Self.commit, .commit)
    try session.synchronize()
    return nil
  }

  /// Members that refused what they saw. Alone that is their outcome; in company, what they saw is now undone.
  private mutating func set(refused: [Int]) {
    if members.count == 1 {
      outcome.finished = members
      outcome.refused = 1
      return
    }
    for number in refused { members[number].isAlone = true }
    outcome.again += members
  }

  /// Who hears of a failure, and who runs again.
  private mutating func sort(_ error: PostgreSQLError, by member: Int?) {
    let isTransient = error.isConflict || error.isConnectionLost || error.isStalePlan
    if usedBatches, !isTransient {
      // Whose it was, and whether it was the batch's alone, shows when they run one by one.
      for member in members {
        member.isAlone = true
        member.isPlain = true
      }
      outcome.again += members
    } else if members.count > 1 {
      // A lost connection was nobody's fault.
      if !error.isConnectionLost {
        if let member { members[member].isAlone = true } else { for member in members { member.isAlone = true } }
      }
      outcome.again += members
    } else if isTransient, members[0].attempts < Self.attempts {
      outcome.again += members
    } else {
      members[0].fail(SQLStoreError(error))
      outcome.finished = members
      outcome.refused = 1
    }
  }

  private mutating func succeed() {
    outcome.finished = members
    outcome.committed = members.count
  }

  private mutating func rollBack(_ session: Session) throws(PostgreSQLError) -> Outcome? {
    phase = .rollingBack
    try session.send(Self.rollback, .rollback)
    try session.synchronize()
    return nil
  }
}
