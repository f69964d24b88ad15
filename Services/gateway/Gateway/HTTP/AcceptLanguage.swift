// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// The languages a client likes.
///
/// Source: RFC 9110, section 12.5.4.
enum AcceptLanguage {
  /// Which of them there are texts in, the services know.
  private static let most = 4

  /// The tags by falling weight, equals in their order, joined by commas, as `LanguageTag.best` takes them; nil where none
  /// is a language tag. `*` stands for none in particular.
  static func preferred(_ value: String) -> String? {
    var liked: [(tag: String, weight: Double)] = []
    for range in value.split(separator: ",").prefix(16) {
      let parts = range.split(separator: ";")
      guard let first = parts.first else { continue }
      let tag = String(first.filter { $0 != " " })
      guard tag != "*", MetadataBytes.isLocale(tag) else { continue }
      var weight = 1.0
      for parameter in parts.dropFirst() {
        let text = parameter.filter { $0 != " " }
        if text.hasPrefix("q=") { weight = Double(text.dropFirst(2)) ?? 0 }
      }
      guard weight > 0 else { continue }
      liked.insert((tag, weight), at: liked.firstIndex { $0.weight < weight } ?? liked.endIndex)
    }
    return liked.isEmpty ? nil : liked.prefix(most).map(\.tag).joined(separator: ",")
  }
}
