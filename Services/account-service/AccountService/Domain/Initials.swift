// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// The letters that stand for a person where there is no picture.
enum Initials {
  /// The first letters of the first and of the last word, in upper case: `ML` for Maya Lindqvist, `M` for Maya. A word
  /// without letters or digits gives its first character, as a person sees characters.
  static func of(_ name: String) -> String {
    let words = name.split(whereSeparator: \.isWhitespace)
    guard let first = words.first else { return "" }
    guard words.count > 1, let last = words.last else { return initial(of: first) }
    return initial(of: first) + initial(of: last)
  }

  private static func initial(of word: Substring) -> String {
    guard let character = word.first(where: { $0.isLetter || $0.isNumber }) ?? word.first else { return "" }
    // ß and some ligatures become several letters: then the letter stays as it is.
    let upper = character.uppercased()
    return upper.count == 1 ? upper : String(character)
  }
}
