// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import JSONRPC
internal import SettingsContracts

/// A policy's texts, ready in each language of its notices.
///
/// - Invariant: there is a notice, and every category has a text (`ConsentPolicy.validate`).
struct LocalizedPolicy: Sendable {
  struct Text: Sendable, Hashable, Codable {
    let displayName: String
    let explanation: String
  }
  struct Edition: Sendable {
    let notice: ConsentNotice
    /// In the order of the policy's categories.
    let texts: [Text]
  }
  private let editions: [Edition]

  init(_ policy: ConsentPolicy) {
    editions = policy.notices.map { notice in
      let texts = policy.categories.map { category in
        let text = LanguageTag.best(for: notice.locale, among: category.texts, locale: \.locale)!
        return Text(displayName: text.displayName, explanation: text.explanation)
      }
      return Edition(
        notice: ConsentNotice(
          title: notice.title, text: notice.text, hash: LocalizedPolicy.hash(policy, notice, texts),
          locale: notice.locale),
        texts: texts)
    }
  }

  var notices: [ConsentNotice] { editions.map(\.notice) }
  var locales: [String] { editions.map(\.notice.locale) }

  /// The edition that suits `locale` best.
  func edition(for locale: String?) -> Edition {
    LanguageTag.best(for: locale, among: editions, locale: \.notice.locale)!
  }

  /// Proof of what was shown, as `ConsentNotice.hash` describes it.
  private static func hash(_ policy: ConsentPolicy, _ notice: ConsentPolicy.Notice, _ texts: [Text]) -> String {
    let shown: JSONValue = [
      "categories": .array(
        zip(policy.categories, texts).map { category, text in
          [
            "id": .string(category.id), "displayName": .string(text.displayName),
            "explanation": .string(text.explanation),
          ]
        }),
      "locale": .string(notice.locale), "policyVersion": .integer(Int64(policy.version)),
      "text": .string(notice.text), "title": .string(notice.title),
    ]
    // Strings and integers always have a canonical form.
    return Hex.encode(SHA256.hash(try! JSON.canonical(shown)))
  }
}
