// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Turns the common SQL into PostgreSQL's: tables get their schema in front (so that no session needs a search path,
/// which a pooler between would not keep), and in migrations types and `STRICT` become what they are here. Text is
/// compared by bytes, as SQLite does, whatever the database's collation.
struct PostgreSQLDialect {
  /// Quoted, ready to stand in front of a table's name.
  let schema: String
  /// Quoted as a text.
  let schemaLiteral: String
  /// Names in lower case.
  var tables: Set<String> = []

  init(schema: String) {
    func quoted(by quote: Character) -> String {
      "\(quote)\(schema.split(separator: quote, omittingEmptySubsequences: false).joined(separator: "\(quote)\(quote)"))\(quote)"
    }
    self.schema = quoted(by: "\"")
    schemaLiteral = quoted(by: "'")
  }

  /// A statement of a service.
  func translate(statement sql: String) -> String {
    var translation = Translation(dialect: self, isMigration: false)
    return translation.run(sql)
  }

  /// A migration; the tables it makes are known from then on.
  mutating func translate(migration sql: String) -> String {
    tables.formUnion(Self.tablesMade(by: sql))
    var translation = Translation(dialect: self, isMigration: true)
    return translation.run(sql)
  }

  /// Whether it only looks: a statement alone is its own transaction, and must not write where a read was asked for.
  static func isReadOnly(_ sql: String) -> Bool {
    let words = Set(SQLTokens(sql).compactMap { $0.word })
    return words.isDisjoint(with: ["INSERT", "UPDATE", "DELETE", "MERGE", "CREATE", "DROP", "ALTER", "TRUNCATE"])
  }

  /// The first table that does not say STRICT: on the other engine its columns would take values of any type.
  static func looseTable(in sql: String) -> String? {
    var name: String?
    var words: [String] = []
    for token in SQLTokens(sql + ";") {
      if let word = token.word {
        words.append(word)
        if name == nil, words.starts(with: ["CREATE", "TABLE"]), words.count > 2,
          !["IF", "NOT", "EXISTS"].contains(word)
        {
          name = String(token.text)
        }
      } else if token.text == ";" {
        if let name, !words.contains("STRICT") { return name }
        name = nil
        words = []
      }
    }
    return nil
  }

  private static func tablesMade(by sql: String) -> Set<String> {
    let words = SQLTokens(sql).filter { $0.isWord }
    var names: Set<String> = []
    for index in words.indices.dropFirst() where words[index - 1].word == "CREATE" && words[index].word == "TABLE" {
      let next = words[(index + 1)...].first { !["IF", "NOT", "EXISTS"].contains($0.word) }
      if let next { names.insert(next.text.lowercased()) }
    }
    return names
  }
}

/// One pass over a text.
private struct Translation {
  let dialect: PostgreSQLDialect
  let isMigration: Bool
  private var output = ""
  private var previous = ""
  private var beforePrevious = ""
  private var isInFromList = false

  init(dialect: PostgreSQLDialect, isMigration: Bool) {
    self.dialect = dialect
    self.isMigration = isMigration
  }

  mutating func run(_ sql: String) -> String {
    let tokens = Array(SQLTokens(sql))
    for (index, token) in tokens.enumerated() {
      guard token.isWord else {
        other(token)
        continue
      }
      let isQualified = index + 1 < tokens.count && tokens[index + 1].text == "."
      word(token, isQualified: isQualified)
    }
    return output
  }

  private mutating func other(_ token: SQLTokens.Token) {
    output += token.text
    // The next of several tables.
    if token.text == ",", isInFromList { previous = "FROM" }
  }

  private mutating func word(_ token: SQLTokens.Token, isQualified: Bool) {
    let upper = token.word ?? ""
    let isTable = namesTable && dialect.tables.contains(token.text.lowercased())
    if !isQualified, isTable || namesOldIndex {
      output += dialect.schema + "." + token.text
    } else if isMigration {
      translateType(token)
    } else {
      output += upper == "BLOB" ? "BYTEA" : upper == "REAL" ? "DOUBLE PRECISION" : String(token.text)
    }
    switch upper {
    case "FROM": isInFromList = previous != "DISTINCT"
    case "WHERE", "ON", "GROUP", "ORDER", "LIMIT", "SELECT", "SET", "RETURNING", "VALUES", "UNION": isInFromList = false
    default: break
    }
    beforePrevious = previous
    previous = upper
  }

  /// Whether a table's name comes next.
  private var namesTable: Bool {
    switch previous {
    case "FROM": beforePrevious != "DISTINCT"
    case "JOIN", "INTO", "UPDATE", "TABLE", "REFERENCES": true
    // IF [NOT] EXISTS; the ON of CREATE INDEX.
    case "EXISTS", "ON": isMigration
    default: false
    }
  }

  private var namesOldIndex: Bool { isMigration && beforePrevious == "DROP" && previous == "INDEX" }

  /// In capitals they are types; in small letters the same words may be columns.
  private mutating func translateType(_ token: SQLTokens.Token) {
    switch token.text {
    case "BLOB": output += "BYTEA"
    case "REAL": output += "DOUBLE PRECISION"
    case "TEXT": output += previous == "AS" ? "TEXT" : "TEXT COLLATE \"C\""
    case "STRICT": break
    case "WITHOUT":
      // ", WITHOUT ROWID" goes with its comma.
      if let comma = output.lastIndex(of: ","), output[output.index(after: comma)...].allSatisfy(\.isWhitespace) {
        output.removeSubrange(comma...)
      }
    case "ROWID" where previous == "WITHOUT": break
    default: output += token.text
    }
  }
}
