// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// A language, BCP 47, as far as choosing among texts needs it.
public enum LanguageTag {
  /// Of several texts in different languages, the one to show: of the language asked for, the nearest; else the first.
  ///
  /// The range is shortened from its end until something fits (RFC 4647, section 3.4); then any variety of the same
  /// language serves, `de-AT` for `de-CH`.
  /// - Returns: nil when `texts` is empty.
  public static func best<Text>(for wanted: String?, among texts: [Text], locale: (Text) -> String) -> Text? {
    guard let wanted, texts.count > 1 else { return texts.first }
    var subtags = wanted.lowercased().split(separator: "-")[...]
    while !subtags.isEmpty {
      let range = subtags.joined(separator: "-")
      if let match = texts.first(where: { locale($0).lowercased() == range }) { return match }
      subtags.removeLast()
    }
    let language = wanted.lowercased().prefix { $0 != "-" }
    return texts.first { locale($0).lowercased().prefix { $0 != "-" } == language } ?? texts.first
  }

  /// - Throws: INVALID_PARAMS unless `text` is subtags of 1 to 8 letters and digits joined by `-`, the first of 2 to 8
  ///   letters; 35 characters at most.
  public static func check(_ text: String, _ field: String) throws(RPCError) {
    let subtags = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    let isAlphanumeric = subtags.allSatisfy { 1...8 ~= $0.count && $0.allSatisfy { isLetter($0) || isDigit($0) } }
    guard text.utf8.count <= 35, isAlphanumeric, let first = subtags.first, 2...8 ~= first.count,
      first.allSatisfy(isLetter)
    else { throw .invalidParams(field, "must be a BCP 47 language tag, such as de-AT") }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 }
  private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
}
