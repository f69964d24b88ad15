// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AccountService

@Suite("Auth cursor")
struct AuthCursorTests {
  @Test("is the same text for the same place")
  func text() {
    let cursor = AuthCursor(epoch: "e", revisions: ["default": 12, "brand": 3])
    #expect(cursor.description == "e/brand:3,default:12")
    #expect(AuthCursor(cursor.description) == cursor)
    #expect(AuthCursor("e/") == AuthCursor(epoch: "e", revisions: [:]))
  }

  @Test("is refused in another form", arguments: ["", "e", "e/a", "e/a:", "e/a:-1", "e/a:x", "e/a:1:2", "e/a:1/b"])
  func malformed(text: String) { #expect(AuthCursor(text) == nil) }

  @Test("continues where the store knows all that it knows")
  func behind() {
    let heads = AuthCursor(epoch: "e", revisions: ["default": 12, "brand": 3])
    #expect(AuthCursor(epoch: "e", revisions: ["default": 12, "brand": 3]).isBehind(heads))
    #expect(AuthCursor(epoch: "e", revisions: ["default": 1]).isBehind(heads))
    #expect(!AuthCursor(epoch: "f", revisions: ["default": 1]).isBehind(heads))
    #expect(!AuthCursor(epoch: "e", revisions: ["default": 13]).isBehind(heads))
    #expect(!AuthCursor(epoch: "e", revisions: ["gone": 0]).isBehind(heads))
  }
}
