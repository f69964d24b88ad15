// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import SettingsContracts
import Testing

@Suite("Language tag")
struct LanguageTagTests {
  @Test(
    "finds the nearest of several texts",
    arguments: [
      ("de-CH-1996", ["en", "de", "de-CH"], "de-CH"), ("de-CH", ["en", "de-AT"], "de-AT"), ("DE", ["en", "de"], "de"),
      ("fr", ["en", "de"], "en"), (nil, ["de", "en"], "de"), ("zh-Hant-TW", ["zh-Hans", "zh-Hant"], "zh-Hant"),
      ("en", [], nil),
    ] as [(String?, [String], String?)])
  func nearest(wanted: String?, available: [String], expected: String?) {
    #expect(LanguageTag.best(for: wanted, among: available) { $0 } == expected)
  }
}

@Suite("Text rule")
struct TextRuleTests {
  @Test(
    "refuses what is too short, too long, blank, or holds control characters",
    arguments: [
      ("", "name: 0 characters are not in 1...5"), ("abcdef", "name: 6 characters are not in 1...5"),
      (" \u{2003}", "name: must not be blank"), ("a\nb", "name: must not hold control characters"),
      ("a\u{0}", "name: must not hold control characters"),
    ])
  func refused(text: String, message: String) {
    let error = #expect(throws: RPCError.self) { try TextRule.check(text, "name", 1...5) }
    #expect(error?.message == message)
  }

  @Test("takes any other text") func taken() throws {
    try TextRule.check("Zoë 🐈", "name", 1...5)
    try TextRule.check("", "name", 0...5)
  }
}
