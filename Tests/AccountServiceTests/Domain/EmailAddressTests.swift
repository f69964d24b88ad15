// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import Testing

@testable import AccountService

@Suite("E-mail address")
struct EmailAddressTests {
  @Test(
    "is taken as it was written",
    arguments: [
      "maya@example.com", "Maya.Lindqvist+news@Example.co.uk", "a@b.se", "o'brien@example.ie",
      "x_y-z@sub.domain.example",
      "1@2.example", "määä@exämple.de", "用户@例子.中国", "a!#$%&'*+/=?^_`{|}~-b@example.com", "a@xn--bcher-kva.example",
    ])
  func good(address: String) throws {
    #expect(try EmailAddress.checked(address, "email") == address)
    #expect(try EmailAddress.checked(" \(address)\n", "email") == address)
  }

  @Test(
    "is refused otherwise, without being quoted",
    arguments: [
      "", " ", "maya", "@example.com", "maya@", "maya@example", "maya@@example.com", "a@b@example.com", "maya@.com",
      "maya@example.", "maya@example..com", ".maya@example.com", "maya.@example.com", "ma..ya@example.com",
      "ma ya@example.com", "maya@exam ple.com", "maya@-example.com", "maya@example-.com", "maya@example.123",
      "maya@127.0.0.1", "maya@[127.0.0.1]", "\"maya\"@example.com", "maya<x>@example.com", "maya@example.com\u{0}",
      "ma\u{7}ya@example.com", "ma\nya@example.com", "Maya <maya@example.com>", "maya@example.com,b@example.com",
      "maya@exa_mple.com", "mailto:maya@example.com;x",
      String(repeating: "a", count: 65) + "@example.com", "a@" + String(repeating: "b", count: 64) + ".com",
      "a@" + String(repeating: "b.", count: 130) + "com", "ma\u{202E}ya@example.com",
    ])
  func bad(address: String) {
    let error = #expect(throws: RPCError.self) { try EmailAddress.checked(address, "email") }
    #expect(error?.code == .invalidParams)
    #expect(error?.field == "email")
    #expect(error?.display == "Enter a valid email address.")
    #expect(address.utf8.count < 4 || error?.message.contains(address) == false)
  }
}
