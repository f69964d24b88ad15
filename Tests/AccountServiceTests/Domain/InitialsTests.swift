// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AccountService

@Suite("Initials")
struct InitialsTests {
  @Test(
    "are the first letters of the first and last words",
    arguments: [
      ("Maya", "M"), ("Maya Lindqvist", "ML"), ("maya lindqvist", "ML"), ("Maya Anna Lindqvist", "ML"),
      ("  Maya   Lindqvist  ", "ML"), ("Jean-Luc Picard", "JP"), ("José Ángel", "JÁ"), ("Élodie", "É"),
      // A letter and its accent as two scalars are one letter.
      ("E\u{301}lodie Duval", "E\u{301}D"), ("Öz ığdır", "ÖI"), ("ßen Straße", "ßS"), ("山田 太郎", "山太"),
      ("김 철수", "김철"), ("мария иванова", "МИ"), ("محمد علي", "مع"), ("O'Brien", "O"), ("(Bob) Ross", "BR"),
      ("“Maya” Ek", "ME"), ("Tom & Jerry", "TJ"), ("3 Musketeers", "3M"), ("Maya 👩‍👩‍👧", "M👩‍👩‍👧"), ("🇸🇪 🇳🇴", "🇸🇪🇳🇴"),
      ("&", "&"), ("Maya\u{a0}Ek", "ME"), ("", ""), ("   ", ""),
    ])
  func table(name: String, initials: String) {
    #expect(Initials.of(name) == initials)
  }
}
