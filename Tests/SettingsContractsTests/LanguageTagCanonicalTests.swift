// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import SettingsContracts
import Testing

@Suite("Language tag, canonical")
struct LanguageTagCanonicalTests {
  /// RFC 5646, appendix A, and section 2.1.1's casing.
  @Test(
    "has one spelling",
    arguments: [
      ("en", "en"), ("EN-us", "en-US"), ("zh-hant-tw", "zh-Hant-TW"), ("SR-LATN-rs", "sr-Latn-RS"),
      ("es-419", "es-419"),
      ("sl-Rozaj-BISKE", "sl-rozaj-biske"), ("de-CH-1901", "de-CH-1901"), ("zh-cmn-Hans-CN", "zh-cmn-Hans-CN"),
      ("hy-Latn-IT-arevela", "hy-Latn-IT-arevela"), ("x-whatever", "x-whatever"),
      ("de-CH-x-phonebk", "de-CH-x-phonebk"),
      ("en-US-u-islamcal", "en-US-u-islamcal"), ("zh-CN-a-myext-x-private", "zh-CN-a-myext-x-private"),
      ("qaa-Qaaa-QM-x-southern", "qaa-Qaaa-QM-x-southern"),
    ])
  func wellFormed(tag: String, expected: String) throws {
    #expect(try LanguageTag.checked(tag, "locale") == expected)
  }

  @Test(
    "is refused when it is not well formed",
    arguments: [
      "", "e", "en_US", "en-", "-en", "en--US", "de-419-DE", "a-DE", "ar-a-aaa-b-bbb-a-ccc", "x", "x-", "en-u",
      "en-abcdefghi", "12", "englishes", "en-US-US-US", "sl-rozaj-rozaj", "i-klingon", "ü", "en\u{0}",
      "en-x-" + String(repeating: "a", count: 40),
    ])
  func malformed(tag: String) {
    let error = #expect(throws: RPCError.self) { try LanguageTag.checked(tag, "locale") }
    #expect(error?.message == "locale: must be a BCP 47 language tag, such as de-AT")
  }
}
