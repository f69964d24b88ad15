// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// A language, BCP 47, as far as choosing among texts needs it.
public enum LanguageTag {
  /// Of several texts in different languages, the one to show: of the language asked for, the nearest; else the first.
  ///
  /// The range is shortened from its end until something fits (RFC 4647, section 3.4); then any variety of the same
  /// language serves, `de-AT` for `de-CH`.
  /// - Parameter wanted: a tag, or several joined by commas, the one liked best first: the first that fits serves.
  /// - Returns: nil when `texts` is empty.
  public static func best<Text>(for wanted: String?, among texts: [Text], locale: (Text) -> String) -> Text? {
    guard let wanted, texts.count > 1 else { return texts.first }
    if wanted.utf8.contains(UInt8(ascii: ",")) {
      for tag in wanted.split(separator: ",") {
        if let match = nearest(to: String(tag), among: texts, locale: locale) { return match }
      }
      return texts.first
    }
    return nearest(to: wanted, among: texts, locale: locale) ?? texts.first
  }

  private static func nearest<Text>(to wanted: String, among texts: [Text], locale: (Text) -> String) -> Text? {
    if let match = texts.first(where: { locale($0) == wanted }) { return match }
    var subtags = wanted.lowercased().split(separator: "-")[...]
    while !subtags.isEmpty {
      let range = subtags.joined(separator: "-")
      if let match = texts.first(where: { locale($0).lowercased() == range }) { return match }
      subtags.removeLast()
    }
    let language = wanted.lowercased().prefix { $0 != "-" }
    return texts.first { locale($0).lowercased().prefix { $0 != "-" } == language }
  }

  /// - Throws: INVALID_PARAMS unless `text` is well-formed, as `checked(_:_:)`.
  public static func check(_ text: String, _ field: String) throws(RPCError) { _ = try checked(text, field) }
}
