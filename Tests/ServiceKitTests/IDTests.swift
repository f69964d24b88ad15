// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import RPC
import ServiceKit
import Testing

@Suite struct IDTests {
  @Test func `each byte of an id is one of those allowed`() {
    let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~:-".utf8)
    for byte in UInt8.min...0x7f {
      let id = "a" + String(UnicodeScalar(byte))
      #expect(isAllowed(id) == allowed.contains(byte), "byte \(byte)")
    }
    for id in ["é", "a\u{1F600}", "\u{80}", "\u{7ff}x"] { #expect(!isAllowed(id)) }
  }

  @Test(arguments: [(0, false), (1, true), (128, true), (129, false)])
  func `an id has 1 to 128 bytes`(_ count: Int, _ isAllowed: Bool) {
    #expect(self.isAllowed(String(repeating: "x", count: count)) == isAllowed)
  }

  private func isAllowed(_ id: String) -> Bool { (try? CallContext.check(id, "accountId")) != nil }
}
