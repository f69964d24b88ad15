// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// The words of an SQL text and what is between them. Quoted names and texts, comments and parameters are one token each
/// that is no word.
struct SQLTokens: Sequence, IteratorProtocol {
  struct Token {
    let text: Substring
    let isWord: Bool
    /// In upper case; nil when it is no word.
    var word: String? { isWord ? text.uppercased() : nil }
  }

  private var rest: Substring

  init(_ sql: String) { rest = Substring(sql) }

  mutating func next() -> Token? {
    guard let first = rest.first else { return nil }
    if first.isLetter || first == "_" { return take(rest.prefix(while: Self.continuesWord), isWord: true) }
    if first == "$" || first.isNumber { return take(rest.prefix { $0 == "$" || Self.continuesWord($0) }) }
    if first == "'" || first == "\"" { return take(quoted(by: first)) }
    if rest.hasPrefix("--") { return take(rest.prefix { !$0.isNewline }) }
    if first.isWhitespace { return take(rest.prefix { $0.isWhitespace }) }
    return take(rest.prefix(1))
  }

  private static func continuesWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }

  private mutating func take(_ piece: Substring, isWord: Bool = false) -> Token {
    rest = rest[piece.endIndex...]
    return Token(text: piece, isWord: isWord)
  }

  /// With both quotes; a doubled quote ends one and begins the next, which comes to the same.
  private func quoted(by quote: Character) -> Substring {
    guard let end = rest.dropFirst().firstIndex(of: quote) else { return rest }
    return rest[...end]
  }
}
