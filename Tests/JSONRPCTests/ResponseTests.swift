// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

import JSONRPC

@Suite struct ResponseTests {
  @Test func aResultIsReadInPlaceOrAsAType() throws {
    let bytes = Response.result(RequestID(bytes: Array("1e2".utf8)), Array(#"{"a":[1]}"#.utf8))
    #expect(bytes.text == #"{"jsonrpc":"2.0","id":1e2,"result":{"a":[1]}}"#)
    bytes.withUnsafeBytes { raw in
      guard case .result(let id, let result) = Response.parse(raw) else { return #expect(Bool(false)) }
      #expect(id.bytes.text == "1e2")
      #expect(String(decoding: result, as: UTF8.self) == #"{"a":[1]}"#)
    }
    #expect(try Response.decode([String: [Int]].self, from: bytes) == ["a": [1]])
  }

  @Test func aTypedReplyThrowsTheServersError() {
    let error = RPCError.notFound("account")
    #expect(throws: error) { try Response.decode(Int.self, from: Response.error(RequestID(1), error)) }
  }

  @Test(arguments: [
    "", "[]", "{}", "7", #"{"jsonrpc":"2.0","id":1}"#, #"{"jsonrpc":"2.0","result":1}"#, #"{"id":1,"result":1}"#,
    #"{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":"m"}}"#,
    #"{"jsonrpc":"2.0","id":1,"error":{"message":"m"}}"#, #"{"jsonrpc":"2.0","id":1,"error":"m"}"#,
    #"{"jsonrpc":"2.0","id":1,"result":"#,
  ])
  func whatIsNoResponseIsSaidToBeMalformed(text: String) {
    Array(text.utf8).withUnsafeBytes { bytes in
      guard case .error(nil, let error) = Response.parse(bytes) else { return #expect(Bool(false)) }
      #expect(error.reason == "malformedReply")
      #expect(error.processed == .unknown)
    }
    let error = #expect(throws: RPCError.self) { try Response.decode(Int.self, from: Array(text.utf8)) }
    #expect(error?.reason == "malformedReply")
  }

  @Test func aResultOfTheWrongTypeIsMalformedAndSaysWhere() {
    let bytes = Response.result(RequestID(1), Array(#"{"a":["x"]}"#.utf8))
    let error = #expect(throws: RPCError.self) { try Response.decode([String: [Int]].self, from: bytes) }
    #expect(error?.message == "malformed reply: a[0]: must be an integer, not text")
  }

  @Test func aBatchIsAnArrayAndNoneIsNothing() {
    #expect(Response.batch([]).isEmpty)
    #expect(Response.batch([Array("1".utf8)]).text == "[1]")
    #expect(Response.batch([Array("1".utf8), Array("2".utf8)]).text == "[1,2]")
  }

  @Test func requestsAreWrittenAsTheyAreRead() throws {
    let bytes = try Request.bytes(id: 5, method: "a.b", params: ["x": "\n"])
    #expect(bytes.text == #"{"jsonrpc":"2.0","id":5,"method":"a.b","params":{"x":"\n"}}"#)
    #expect(
      try Request.bytes(id: nil, method: "n", params: RawJSON([0x7B, 0x7D])).text
        == #"{"jsonrpc":"2.0","method":"n","params":{}}"#)
  }
}
