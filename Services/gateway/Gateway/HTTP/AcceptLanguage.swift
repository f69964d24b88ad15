// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// The language a client likes best.
///
/// Source: RFC 9110, section 12.5.4.
enum AcceptLanguage {
  /// The tag with the highest weight, the first of equals; nil for `*`, nothing, or what is no language tag.
  static func preferred(_ value: UnsafeRawBufferPointer) -> String? {
    var best: (tag: String, weight: Double)?
    for range in String(decoding: value, as: UTF8.self).split(separator: ",").prefix(16) {
      let parts = range.split(separator: ";")
      guard let first = parts.first else { continue }
      let tag = String(first.filter { $0 != " " })
      guard tag != "*", MetadataBytes.isLocale(tag) else { continue }
      var weight = 1.0
      for parameter in parts.dropFirst() {
        let text = parameter.filter { $0 != " " }
        if text.hasPrefix("q=") { weight = Double(text.dropFirst(2)) ?? 0 }
      }
      if weight > 0, weight > best?.weight ?? 0 { best = (tag, weight) }
    }
    return best?.tag
  }
}
