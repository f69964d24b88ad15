// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

import JSONRPC

@Suite struct RequestIDTests {
  @Test(arguments: [
    "0", "-0", "1", "9007199254740993", "123456789012345678901234567890", "1.5", "1e2", "1E+2", "-0.0", "null", #""""#,
    #""é""#, #""\u00e9""#, #""a\"b""#, #""\u0000""#, #""😀""#,
  ])
  func anIDIsEchoedAsItCame(id: String) throws {
    let answer = ExampleServer().answer(
      #"{"jsonrpc":"2.0", "id" : \#(id) ,"method":"subtract","params":{"minuend":3,"subtrahend":1}}"#)
    #expect(answer == #"{"jsonrpc":"2.0","id":\#(id),"result":2}"#)
    let refusal = ExampleServer().answer(#"{"jsonrpc":"2.0","method":"no","id":\#(id)}"#)
    #expect(refusal.hasPrefix(#"{"jsonrpc":"2.0","id":\#(id),"error":{"code":-32601,"#))
  }

  @Test(arguments: ["true", "{}", "[1]", "false"]) func anIDOfAnotherTypeIsRefusedWithTheIDNull(id: String) {
    let answer = ExampleServer().answer(#"{"jsonrpc":"2.0","id":\#(id),"method":"get_data"}"#)
    #expect(answer.hasPrefix(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"#))
    #expect(answer.contains("id: must be text, a number or null"))
  }

  @Test func aRequestWithTheIDNullIsNoNotification() throws {
    try withRequest(#"{"jsonrpc":"2.0","id":null,"method":"m"}"#) { (parser, request) throws in
      #expect(!request.isNotification)
      #expect(parser.id(request) == .null)
    }
    try withRequest(#"{"jsonrpc":"2.0","method":"m"}"#) { (parser, request) throws in
      #expect(request.isNotification)
      #expect(parser.id(request) == nil)
    }
  }
}
