// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import Testing

@testable import AccountService

@Suite("Web address")
struct WebAddressTests {
  @Test(
    "of a page is taken as it was written",
    arguments: [
      "https://app.example", "https://app.example/privacy?lang=en#top", "https://app.example:8443/a%20b",
      "http://localhost:3000/x", "http://127.0.0.1/x", "http://[::1]:8080/", "HTTPS://App.Example/Terms",
      "https://xn--bcher-kva.example/",
    ])
  func page(address: String) throws { #expect(try WebAddress.page(address, "links") == address) }

  @Test(
    "of a page is refused otherwise",
    arguments: [
      "", "app.example", "ftp://app.example", "javascript:alert(1)", "http://app.example", "https://", "https:///x",
      "https://user:pass@app.example", "https://app.example:0", "https://app.example:65536", "https://app.example:x",
      "https://app .example", "https://app.example/ä", "https://app.example/\"onload", "https://-app.example",
      "https://app..example", "https://app.example\u{0}", "https://app.example\n", "http://localhost.evil.example",
      "http://127.0.0.1@evil.example/",
      "https://" + String(repeating: "a", count: 2100) + ".example",
    ])
  func badPage(address: String) {
    let error = #expect(throws: RPCError.self) { try WebAddress.page(address, "links") }
    #expect(error?.code == .invalidParams)
  }

  @Test(
    "as a base ends without a slash",
    arguments: [("https://app.example/", "https://app.example"), ("https://app.example/a/", "https://app.example/a")])
  func base(address: String, expected: String) throws {
    #expect(try WebAddress.base(address, "publicUrl") == expected)
  }

  @Test("as a base has no query and no fragment", arguments: ["https://a.example/?x", "https://a.example/#x"])
  func badBase(address: String) {
    #expect(throws: RPCError.self) { try WebAddress.base(address, "publicUrl") }
  }

  @Test(
    "as an origin is in lower case",
    arguments: [
      ("https://App.Example", "https://app.example"), ("http://localhost:3000", "http://localhost:3000"),
      ("https://app.example:8443", "https://app.example:8443"),
    ])
  func origin(address: String, expected: String) throws {
    #expect(try WebAddress.origin(address, "origins[0]") == expected)
  }

  @Test(
    "as an origin has no path",
    arguments: ["https://app.example/", "https://app.example/x", "*", "null", "app.example"])
  func badOrigin(address: String) {
    let error = #expect(throws: RPCError.self) { try WebAddress.origin(address, "origins[0]") }
    #expect(error?.field == "origins[0]")
  }
}
