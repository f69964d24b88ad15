// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import PostgreSQL
internal import SQLStore

/// A connection in pipeline mode: what was sent, and so what each result that comes back belongs to.
final class Session {
  enum Slot {
    case prepare(Int)
    /// A statement of member `job` of the unit at hand.
    case statement(job: Int)
    /// All of run number `run` of the unit at hand.
    case batch(run: Int, BatchText.Answer)
    case begin
    case commit
    case rollback
    case sync
  }

  private struct Prepared {
    let name: UnsafeMutablePointer<CChar>
    let types: [Parameters.DataType]
  }

  let connection: Connection
  private let texts: StatementTexts
  /// Nil where statements are not prepared, for a pooler between.
  private var prepared: [Prepared?]?
  private var lastName = 0
  /// No two sessions have names in common: behind a pooler that mixes them up, a statement is then not found, rather than
  /// another's found in its place.
  private let namePrefix = String(UInt32.random(in: 0...UInt32.max), radix: 36)
  private let parameters = Parameters()
  private var expected: [Slot] = []
  private var received = 0
  /// Something was put into the buffer since the last flush, or did not all go out.
  private(set) var hasUnsent = false
  /// What it has prepared does not fit the tables any more.
  var isStale = false

  init(_ connection: Connection, _ texts: StatementTexts, prepares: Bool) {
    self.connection = connection
    self.texts = texts
    prepared = prepares ? [] : nil
  }

  deinit {
    for case let one? in prepared ?? [] { free(one.name) }
  }

  var isIdle: Bool { received == expected.count }
  var descriptor: CInt { connection.descriptor }

  func send(_ statement: SQLStatement, _ slot: Slot) throws(PostgreSQLError) {
    let entry = texts.entry(statement.sql)
    parameters.fill(statement.parameters)
    hasUnsent = true
    if prepared == nil {
      try connection.send(entry.sql, parameters)
    } else {
      try connection.send(prepared: name(entry), parameters)
    }
    expected.append(slot)
  }

  /// Sends a run's statements as one where they can be, else one by one.
  /// - Parameter batches: false to send them one by one in any case.
  /// - Returns: whether as one.
  func send(_ run: StatementRun, number: Int, batches: Bool) throws(PostgreSQLError) -> Bool {
    if batches, prepared != nil, run.jobs.count > 1, let batch = texts.batch(run.sql), batch.answer.tellsApart(run),
      parameters.fill(columns: run)
    {
      hasUnsent = true
      try connection.send(prepared: name(batch.entry), parameters)
      expected.append(.batch(run: number, batch.answer))
      return true
    }
    for (job, values) in zip(run.jobs, run.parameters) {
      try send(SQLStatement(run.sql, parameters: values), .statement(job: job))
    }
    return false
  }

  func synchronize() throws(PostgreSQLError) {
    hasUnsent = true
    try connection.synchronize()
    expected.append(.sync)
  }

  func flush() throws(PostgreSQLError) { hasUnsent = try connection.flush() }

  /// Reads what has arrived and gives each whole result, with what it belongs to, to `take`.
  func receive(_ take: (Slot, QueryResult) -> Void) throws(PostgreSQLError) {
    // What arrived before the connection was lost still counts.
    let failure: PostgreSQLError?
    do throws(PostgreSQLError) {
      try connection.receive()
      failure = nil
    } catch {
      failure = error
    }
    while received < expected.count, let result = connection.nextResult() {
      let slot = expected[received]
      received += 1
      if received == expected.count {
        expected.removeAll(keepingCapacity: true)
        received = 0
      }
      if case .prepare(let number) = slot {
        guard result.status != .done else { continue }
        forget(number)
        // The statement behind it is skipped; why is said here.
        if case .failed = result.status, received < expected.count { take(expected[received], result) }
        continue
      }
      take(slot, result)
    }
    if let failure { throw failure }
    if !connection.isUsable { throw PostgreSQLError(sqlState: nil, message: "the connection was lost") }
  }

  /// The name of the prepared statement, after preparing it in the same pipeline where it is not yet, or not for these
  /// types: a parameter that was NULL had none.
  private func name(_ entry: StatementTexts.Entry) throws(PostgreSQLError) -> UnsafePointer<CChar> {
    let number = entry.number
    while prepared!.count <= number { prepared!.append(nil) }
    let known = prepared![number]
    if let known, parameters.fit(known.types) { return UnsafePointer(known.name) }
    let types = parameters.types(over: known?.types ?? [])
    if let known { free(known.name) }
    lastName += 1
    let name = strdup("\(namePrefix)_\(lastName)")!
    prepared![number] = Prepared(name: name, types: types)
    try connection.prepare(name, entry.sql, types)
    expected.append(.prepare(number))
    return UnsafePointer(name)
  }

  private func forget(_ number: Int) {
    if let known = prepared![number] { free(known.name) }
    prepared![number] = nil
  }
}

extension Parameters {
  fileprivate func fill(_ values: [SQLValue]) {
    removeAll()
    for value in values { append(value) }
  }

  /// - Returns: false when a parameter is not of one type in all of them.
  fileprivate func fill(columns run: StatementRun) -> Bool {
    removeAll()
    let rows = run.parameters
    for column in rows[0].indices {
      var type = DataType.unspecified
      for row in rows {
        let mine = row[column].type
        guard mine != .unspecified else { continue }
        if type == .unspecified { type = mine }
        if type != mine { return false }
      }
      // NULL in all of them: only the server knows its type.
      if type == .unspecified { return false }
      appendArray(of: type, count: rows.count) { append(rows[$0][column]) }
    }
    return true
  }

  private func append(_ value: SQLValue) {
    switch value {
    case .null: appendNull()
    case .integer(let value): append(value)
    case .real(let value): append(value)
    case .text(let value): append(value)
    case .blob(let value): append(value)
    }
  }

  /// Whether a statement prepared for `types` takes these values.
  fileprivate func fit(_ types: [DataType]) -> Bool {
    guard types.count == count else { return false }
    for index in 0..<count {
      let mine = type(index)
      if mine != .unspecified, mine != types[index] { return false }
    }
    return true
  }

  /// The types of these values, and the earlier ones where there is none.
  fileprivate func types(over earlier: [DataType]) -> [DataType] {
    (0..<count).map { index in
      let mine = type(index)
      return mine == .unspecified && index < earlier.count ? earlier[index] : mine
    }
  }
}

extension SQLValue {
  fileprivate var type: Parameters.DataType {
    switch self {
    case .null: .unspecified
    case .integer: .int8
    case .real: .float8
    case .text: .text
    case .blob: .bytea
    }
  }
}
