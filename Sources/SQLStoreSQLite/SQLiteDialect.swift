// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Turns a migration's common SQL into SQLite's: `BIGINT` is `INTEGER` (a STRICT table takes no other name for it), and
/// `COLLATE "C"` is what SQLite does anyway.
enum SQLiteDialect {
  static func translate(_ sql: String) -> String {
    var output = ""
    output.reserveCapacity(sql.utf8.count)
    var rest = Substring(sql)
    while let first = rest.first {
      let piece: Substring
      if first == "'" || first == "\"" {
        piece = quoted(rest, by: first)
      } else if rest.hasPrefix("--") {
        piece = rest.prefix { !$0.isNewline }
      } else if first.isLetter || first == "_" {
        piece = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        rest = rest[piece.endIndex...]
        switch piece.uppercased() {
        case "BIGINT": output += "INTEGER"
        case "COLLATE" where rest.hasPrefix(" \"C\""): rest = rest.dropFirst(4)
        default: output += piece
        }
        continue
      } else {
        piece = rest.prefix(1)
      }
      output += piece
      rest = rest[piece.endIndex...]
    }
    return output
  }

  /// A quoted word or text with both quotes; a doubled quote ends one and begins the next, which comes to the same.
  private static func quoted(_ text: Substring, by quote: Character) -> Substring {
    let inside = text.dropFirst()
    guard let end = inside.firstIndex(of: quote) else { return text }
    return text[...end]
  }
}
