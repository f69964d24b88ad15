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
      ("en", [], nil), ("fr,de-AT", ["en", "de"], "de"), ("de,en", ["en", "de"], "de"), ("fr,it", ["en", "de"], "en"),
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
      (" \u{2003}", "name: must not be blank"),
      ("a\nb", "name: must not hold control characters, line breaks or text direction controls"),
      ("a\u{0}", "name: must not hold control characters, line breaks or text direction controls"),
    ])
  func refused(text: String, message: String) {
    let error = #expect(throws: RPCError.self) { try TextRule.check(text, "name", 1...5) }
    #expect(error?.message == message)
  }

  @Test(
    "takes for blank what nobody sees",
    arguments: [
      "\u{200B}", "\u{2800}", "\u{3164}", "\u{200E}", "\u{FEFF}", "\u{301}", "\u{200D}\u{20}\u{FE0F}", "\u{93E}",
    ])
  func invisible(text: String) {
    let error = #expect(throws: RPCError.self) { try TextRule.check(text, "name", 1...5) }
    #expect(error?.message == "name: must not be blank")
  }

  @Test(
    "refuses what makes a line end or read as another", arguments: ["a\u{202E}", "\u{2066}a", "a\u{2028}b", "a\u{1B}"])
  func disguised(text: String) {
    let error = #expect(throws: RPCError.self) { try TextRule.check(text, "name", 0...5) }
    #expect(error?.field == "name")
  }

  @Test("takes any other text") func taken() throws {
    try TextRule.check("Zoë 🐈", "name", 1...5)
    try TextRule.check("", "name", 0...5)
    for text in ["👩‍👩‍👧", "e\u{301}", "नमस्ते", "שלום\u{200F}", "①"] { try TextRule.check(text, "name", 1...7) }
  }
}
