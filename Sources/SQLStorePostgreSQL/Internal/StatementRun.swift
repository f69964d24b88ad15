// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import SQLStore

/// Statements of one text that follow one another, of one call or of several side by side.
struct StatementRun {
  /// More in one batch would gain little, and need longer messages.
  private static let most = 256

  let sql: StaticString
  /// Whose statement each is.
  private(set) var jobs: [Int] = []
  private(set) var parameters: [[SQLValue]] = []

  private mutating func add(_ statement: SQLStatement, of job: Int) {
    jobs.append(job)
    parameters.append(statement.parameters)
  }

  /// The statements of several independent calls, each call's in its order: first the first of each, and so on, equal
  /// texts together.
  static func runs(_ calls: [[SQLStatement]]) -> [StatementRun] {
    var runs: [StatementRun] = []
    let longest = calls.reduce(0) { max($0, $1.count) }
    for step in 0..<longest {
      // Of this step; of one call alone also the one before, which its statement may continue.
      let first = calls.count == 1 ? max(0, runs.count - 1) : runs.count
      for (job, call) in calls.enumerated() where step < call.count {
        let statement = call[step]
        let known = runs[first...].firstIndex {
          $0.sql.utf8Start == statement.sql.utf8Start && $0.jobs.count < most
        }
        if let known {
          runs[known].add(statement, of: job)
        } else {
          var run = StatementRun(sql: statement.sql)
          run.add(statement, of: job)
          runs.append(run)
        }
      }
    }
    return runs
  }

  private init(sql: StaticString) { self.sql = sql }
}
