// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import SettingsContracts

/// What the links need of an `AppRecord`.
struct AppPages: Decodable {
  private var links: [String: AppLinks]
  private var defaultLocale: String

  init(links: [String: AppLinks], defaultLocale: String) {
    self.links = links
    self.defaultLocale = defaultLocale
  }

  /// The pages in that language, or the first of several joined by commas: exactly it, else without its region, else the app's own language, else any.
  ///
  /// Source: RFC 4647, section 3.4 (look-up).
  func links(for locale: String?) -> SettingsLinks {
    var wanted: [String] = []
    for liked in (locale ?? "").split(separator: ",") + [defaultLocale[...]] {
      var tag = String(liked)
      while !tag.isEmpty {
        wanted.append(tag.lowercased())
        tag = tag.lastIndex(of: "-").map { String(tag[..<$0]) } ?? ""
      }
    }
    let ordered = links.sorted { $0.key < $1.key }
    let found = wanted.lazy.compactMap { tag in ordered.first { $0.key.lowercased() == tag } }.first ?? ordered.first
    return SettingsLinks(privacyPolicy: found?.value.privacyPolicy, terms: found?.value.terms, locale: found?.key)
  }
}
