// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import Testing

@testable import AccountService

@Suite("Text")
struct TextTests {
  @Test(
    "is kept without the white space around it",
    arguments: [
      ("Maya", "Maya"), ("  Maya \n", "Maya"), ("Maya Lindqvist", "Maya Lindqvist"), ("Ð Þ", "Ð Þ"), ("山田 太郎", "山田 太郎"),
      ("Zoë 👩‍👩‍👧", "Zoë 👩‍👩‍👧"), ("می‌خواهم", "می‌خواهم"), ("O’Brien-Smith, Jr.", "O’Brien-Smith, Jr."),
      ("\u{3000}雪\u{3000}", "雪"),
    ])
  func good(text: String, expected: String) throws {
    #expect(try Text.line(text, "name", atMost: 200) == expected)
  }

  @Test(
    "is refused when it holds what disguises it",
    arguments: [
      "a\u{0}b", "a\u{7}b", "a\nb", "a\rb", "a\tb", "a\u{85}b", "a\u{2028}b", "a\u{2029}b", "a\u{202E}b", "a\u{2066}b",
      "a\u{7F}b", "a\u{E000}b", "a\u{FFFF}b",
    ])
  func disguised(text: String) {
    let error = #expect(throws: RPCError.self) { try Text.line(text, "name", atMost: 200) }
    #expect(error?.code == .invalidParams)
    #expect(error?.field == "name")
    #expect(error?.message.contains("name: must not contain") == true)
  }

  @Test(
    "is refused when nothing is left, with what the person is told",
    arguments: ["", " ", "\n\t ", "\u{3000}", "\u{200B}", "\u{2800}", "\u{3164}", "\u{200E}", "\u{FEFF}", "\u{301}"])
  func blank(text: String) {
    let error = #expect(throws: RPCError.self) { try Profile.checkedName(text) }
    #expect(error?.code == .invalidParams)
    #expect(error?.display == "Enter your name.")
    let german = #expect(throws: RPCError.self) { try Profile.checkedName(text, locale: "de-AT") }
    #expect(german?.display == "Geben Sie Ihren Namen ein.")
  }

  @Test("is bounded in scalars, so that one character cannot be endless")
  func bounded() throws {
    #expect(try Text.line(String(repeating: "é", count: 200), "name", atMost: 200).count == 200)
    #expect(throws: RPCError.self) { try Text.line(String(repeating: "a", count: 201), "name", atMost: 200) }
    let endless = "a" + String(repeating: "\u{301}", count: 200)
    #expect(endless.count == 1)
    #expect(throws: RPCError.self) { try Text.line(endless, "name", atMost: 200) }
  }

  @Test("never stands in an error", arguments: ["Maya\u{0}Secret", String(repeating: "Secret", count: 100)])
  func notQuoted(text: String) {
    let error = #expect(throws: RPCError.self) { try Text.line(text, "name", atMost: 200) }
    #expect(error?.message.contains("Secret") == false)
  }
}
