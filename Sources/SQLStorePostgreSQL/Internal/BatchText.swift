// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import PostgreSQL
internal import SQLStore

/// One statement in place of many of the same text: their parameters come as arrays, a row for each. Taking a statement
/// apart, starting and ending it costs PostgreSQL more than the row it touches, and the row's trip costs both sides.
///
/// The arrays are taken apart in a list of columns, side by side. As a table, `FROM unnest($1, $2)`, each would first be
/// copied whole into a store of its own, of which setting up alone takes as long as several rows do.
///
/// Four shapes have such a form: INSERT of one row of parameters and literals, DELETE, SELECT without LIMIT, and UPDATE of
/// the rows that have certain values, where no two of a batch name the same: two of one row would be one. An INSERT … ON
/// CONFLICT DO UPDATE of one row twice is an error of the server (21000), and the calls run again without batches.
struct BatchText {
  enum Answer: Equatable {
    /// No rows.
    case nothing
    /// No rows, and no two statements may have the same values of these parameters, from 0.
    case distinct([Int])
    /// Rows that begin with the number, from 1, of the statement they belong to.
    case numbered
    /// At most one row each, which ends with the values of these parameters, from 0, that tell whose it is.
    case keyed([Int])
  }

  let sql: String
  let answer: Answer

  /// - Parameter sql: as the server is given it.
  init?(_ sql: String) {
    let tokens = SQLTokens(sql).filter { !$0.text.allSatisfy(\.isWhitespace) && !$0.text.hasPrefix("--") }
    let count = tokens.compactMap { Self.parameter($0) }.max() ?? 0
    guard count > 0, count <= 32 else { return nil }
    let columns = (1...count).map { "unnest($\($0)) AS p_\($0)" }.joined(separator: ", ")
    let rows = "(SELECT \(columns)) AS b"
    let words = Set(tokens.compactMap(\.word))
    switch tokens.first?.word {
    case "SELECT" where words.isDisjoint(with: ["LIMIT", "OFFSET", "FOR"]):
      self.sql =
        "SELECT b.p_0, s.* FROM (SELECT generate_subscripts($1, 1) AS p_0, \(columns)) AS b CROSS JOIN LATERAL "
        + "(\(Self.text(tokens))) AS s"
      answer = .numbered
    case "DELETE" where words.isDisjoint(with: ["SELECT", "RETURNING", "USING"]):
      guard let condition = tokens.firstIndex(where: { $0.word == "WHERE" }) else { return nil }
      self.sql = "\(Self.text(tokens[..<condition])) USING \(rows) \(Self.text(tokens[condition...]))"
      answer = .nothing
    case "UPDATE" where words.isDisjoint(with: ["SELECT", "RETURNING", "FROM"]):
      guard let condition = tokens.firstIndex(where: { $0.word == "WHERE" }),
        let keys = Self.keys(tokens[(condition + 1)...])
      else { return nil }
      self.sql = "\(Self.text(tokens[..<condition])) FROM \(rows) \(Self.text(tokens[condition...]))"
      answer = .distinct(keys)
    case "INSERT":
      guard let insert = Insert(tokens) else { return nil }
      let head = Self.text(insert.head)
      let values = insert.values.map { Self.text([$0]) }.joined(separator: ", ")
      self.sql =
        "\(head) SELECT \(values) FROM \(rows) \(Self.text(insert.rest))"
        + insert.keys.map { ", \"\($0.column)\"" }.joined()
      answer = insert.returns ? .keyed(insert.keys.map(\.parameter)) : .nothing
    default: return nil
    }
  }

  /// From 1.
  private static func parameter(_ token: SQLTokens.Token) -> Int? {
    token.text.hasPrefix("$") ? Int(token.text.dropFirst()) : nil
  }

  /// The parameters, from 0, of a condition that is `column = $n AND …` and no more.
  private static func keys(_ condition: ArraySlice<SQLTokens.Token>) -> [Int]? {
    var keys: [Int] = []
    var rest = condition
    while rest.count >= 3 {
      let (column, equals, value) = (rest[rest.startIndex], rest[rest.startIndex + 1], rest[rest.startIndex + 2])
      guard column.isWord, equals.text == "=", let number = parameter(value) else { return nil }
      keys.append(number - 1)
      rest = rest.dropFirst(3)
      if rest.isEmpty { return keys }
      guard rest.removeFirst().word == "AND" else { return nil }
    }
    return nil
  }

  /// With parameters as columns of the arrays' rows, and spaces where there were any.
  private static func text(_ tokens: some Sequence<SQLTokens.Token>) -> String {
    var text = ""
    var end: Substring.Index?
    for token in tokens {
      if let end, end != token.text.startIndex { text += " " }
      text += parameter(token).map { "b.p_\($0)" } ?? String(token.text)
      end = token.text.endIndex
    }
    return text
  }

  /// An INSERT of one row, taken apart.
  private struct Insert {
    let head: ArraySlice<SQLTokens.Token>
    let values: [SQLTokens.Token]
    let rest: ArraySlice<SQLTokens.Token>
    let returns: Bool
    /// Of the conflict target, where rows come back.
    var keys: [(column: String, parameter: Int)] = []

    init?(_ tokens: [SQLTokens.Token]) {
      guard let open = tokens.firstIndex(where: { $0.text == "(" }),
        let close = tokens[open...].firstIndex(where: { $0.text == ")" }), tokens.count > close + 2,
        tokens[close + 1].word == "VALUES", tokens[close + 2].text == "(",
        let end = tokens[(close + 3)...].firstIndex(where: { $0.text == ")" })
      else { return nil }
      head = tokens[...close]
      rest = tokens[(end + 1)...]
      // One token each, commas between: parameters, numbers, texts.
      let list = tokens[(close + 3)..<end]
      values = list.filter { $0.text != "," }
      let columns = tokens[(open + 1)..<close].filter { $0.text != "," }
      guard values.count == columns.count, list.count == 2 * values.count - 1, !values.contains(where: \.isWord),
        !rest.contains(where: { BatchText.parameter($0) != nil || $0.word == "SELECT" }), rest.first?.text != ","
      else { return nil }
      returns = rest.contains { $0.word == "RETURNING" }
      guard returns else { return }
      guard let target = rest.firstIndex(where: { $0.word == "CONFLICT" }), rest.endIndex > target + 1,
        rest[target + 1].text == "(", let last = rest[target...].firstIndex(where: { $0.text == ")" })
      else { return nil }
      for name in rest[(target + 2)..<last] where name.text != "," {
        guard let place = columns.firstIndex(where: { $0.text == name.text }),
          let number = BatchText.parameter(values[place])
        else { return nil }
        keys.append((String(name.text), number - 1))
      }
    }
  }
}

extension BatchText.Answer {
  /// Whether each row that is changed or comes back is one statement's alone.
  func tellsApart(_ run: StatementRun) -> Bool {
    switch self {
    case .nothing, .numbered: true
    case .keyed(let parameters), .distinct(let parameters):
      Set(run.parameters.map { values in parameters.map { values[$0] } }).count == run.jobs.count
    }
  }

  /// The rows of each statement of a run.
  func split(_ result: QueryResult, of run: StatementRun) throws(PostgreSQLError) -> [SQLRows] {
    let all = try SQLRows(result)
    switch self {
    case .nothing, .distinct: return Array(repeating: .none, count: run.jobs.count)
    case .numbered:
      var rows: [[SQLValue]] = Array(repeating: [], count: run.jobs.count)
      for row in all {
        let place = Int(row.int(0)) - 1
        for column in 1..<row.columnCount { rows[place].append(row[column]) }
      }
      return rows.map { $0.isEmpty ? .none : SQLRows(columnCount: result.columnCount - 1, values: $0) }
    case .keyed(let parameters):
      let width = result.columnCount - parameters.count
      var found: [[SQLValue]: SQLRows] = [:]
      for row in all {
        found[(width..<result.columnCount).map { row[$0] }] = SQLRows(
          columnCount: width, values: (0..<width).map { row[$0] })
      }
      return run.parameters.map { values in found[parameters.map { values[$0] }] ?? .none }
    }
  }
}
