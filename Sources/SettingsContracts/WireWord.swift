// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// A closed set of words on the wire. An unknown word is refused by an error that names the words allowed; the word
/// itself is not echoed, since it can be anybody's text.
public protocol WireWord: RawRepresentable<String>, CaseIterable, Codable, Sendable, Hashable {}

extension WireWord {
  public init(from decoder: any Decoder) throws {
    let word = try decoder.singleValueContainer().decode(String.self)
    guard let value = Self(rawValue: word) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "must be one of \(Self.allowedWords)"))
    }
    self = value
  }

  /// For error messages: `push, email, sms`.
  public static var allowedWords: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
