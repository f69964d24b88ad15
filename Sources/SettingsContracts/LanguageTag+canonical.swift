// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// The usual spelling of a language tag, for what is stored and handed out.
///
/// Source: RFC 5646, section 2.1. The irregular tags kept from before it (`i-klingon` and the like) are refused.
extension LanguageTag {
  /// The tag in its usual spelling: `zh-Hant-TW` for `ZH-hant-tw` (section 2.1.1).
  /// - Throws: INVALID_PARAMS.
  public static func checked(_ value: String, _ field: String) throws(RPCError) -> String {
    guard value.utf8.count <= 35, let tag = canonical(value) else {
      throw .invalidParams(field, "must be a BCP 47 language tag, such as de-AT")
    }
    return tag
  }

  /// Nil unless `text` is well formed.
  public static func canonical(_ text: String) -> String? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { $0.lowercased() }
    guard parts.allSatisfy({ (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy(isAlphanumeric) }) else {
      return nil
    }
    var rest = parts[...]
    var tag: [String] = []
    if rest.first != "x" {
      guard let language = rest.popFirst(), (2...8).contains(language.utf8.count), isAlphabetic(language) else {
        return nil
      }
      tag.append(language)
      if language.utf8.count <= 3 {
        for _ in 0..<3 {
          guard let extended = rest.first, extended.utf8.count == 3, isAlphabetic(extended) else { break }
          tag.append(rest.removeFirst())
        }
      }
      if let script = rest.first, script.utf8.count == 4, isAlphabetic(script) {
        rest.removeFirst()
        tag.append(script.prefix(1).uppercased() + script.dropFirst())
      }
      if let region = rest.first,
        region.utf8.count == 2 && isAlphabetic(region) || region.utf8.count == 3 && isNumeric(region)
      {
        rest.removeFirst()
        tag.append(region.uppercased())
      }
      guard takeVariants(&rest, into: &tag), takeExtensions(&rest, into: &tag) else { return nil }
    }
    if rest.first == "x" {
      guard rest.count > 1 else { return nil }
      tag += rest
      rest = []
    }
    return rest.isEmpty ? tag.joined(separator: "-") : nil
  }

  /// 5 to 8 characters, or 4 that begin with a digit; none twice.
  private static func takeVariants(_ rest: inout ArraySlice<String>, into tag: inout [String]) -> Bool {
    var seen: Set<String> = []
    while let variant = rest.first {
      let startsWithDigit = variant.utf8.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
      guard variant.utf8.count >= 5 || variant.utf8.count == 4 && startsWithDigit else { return true }
      guard seen.insert(variant).inserted else { return false }
      tag.append(rest.removeFirst())
    }
    return true
  }

  /// A singleton other than x, each once, and what it introduces.
  private static func takeExtensions(_ rest: inout ArraySlice<String>, into tag: inout [String]) -> Bool {
    var seen: Set<String> = []
    while let singleton = rest.first, singleton.utf8.count == 1, singleton != "x" {
      guard seen.insert(singleton).inserted else { return false }
      tag.append(rest.removeFirst())
      guard let first = rest.first, first.utf8.count >= 2 else { return false }
      while let part = rest.first, part.utf8.count >= 2 {
        tag.append(part)
        rest.removeFirst()
      }
    }
    return true
  }

  private static func isAlphabetic(_ text: String) -> Bool {
    text.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
  }
  private static func isNumeric(_ text: String) -> Bool {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
