// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

import JSONRPC

private struct Params: Codable, Equatable {
  var name: String
  var n: Int?
}

@Suite struct MetaTests {
  @Test(arguments: [
    (#"{"name":"x","_meta":{"token":"t","timeoutMs":50}}"#, #"{"name":"x"}"#),
    (#"{"_meta":{"token":"t","timeoutMs":50},"name":"x"}"#, #"{"name":"x"}"#),
    (#"{"name":"x","_meta":{"token":"t","timeoutMs":50},"n":1}"#, #"{"name":"x","n":1}"#),
    (#"{ "name" : "x" , "_meta" : {"token":"t","timeoutMs":50} , "n" : 1 }"#, #"{ "name" : "x" ,  "n" : 1 }"#),
    (#"{ "name" : "x" , "_meta" : {"token":"t","timeoutMs":50} }"#, #"{ "name" : "x"  }"#),
    (#"{"\u005fmeta":{"timeoutMs":50,"token":"t"},"name":"x"}"#, #"{"name":"x"}"#),
  ])
  func metaIsReadAndCutOut(params: String, rest: String) throws {
    try withRequest(request(params: params)) { (parser, request) throws in
      #expect(parser.hasMeta(request))
      #expect(try parser.meta(request) == RequestMeta(token: "t", timeoutMs: 50))
      #expect(try parser.params(Params.self, of: request).name == "x")
      #expect(try parser.params(RawJSON.self, of: request).bytes.text == rest)
      #expect(try parser.params(JSONValue.self, of: request)["_meta"] == nil)
      #expect(try parser.params([String: JSONValue].self, of: request)["_meta"] == nil)
      #expect(parser.bodyWithoutMeta(request).text == JSONRPCTests.request(params: rest))
    }
  }

  @Test func paramsOfMetaAloneBecomeEmpty() throws {
    try withRequest(request(params: #"{"_meta":{}}"#)) { (parser, request) throws in
      #expect(try parser.meta(request) == RequestMeta())
      #expect(parser.bodyWithoutMeta(request).text == JSONRPCTests.request(params: "{}"))
    }
  }

  @Test func withoutMetaTheBodyStaysAsItCame() throws {
    let text = request(params: #"{"name":"x","inner":{"_meta":1}}"#)
    try withRequest(text) { (parser, request) throws in
      #expect(!parser.hasMeta(request))
      #expect(try parser.meta(request) == nil)
      #expect(parser.bodyWithoutMeta(request).text == text)
      #expect(String(decoding: parser.bytes(of: request), as: UTF8.self) == text)
    }
  }

  @Test(arguments: [
    (#"{"_meta":{"token":1}}"#, "_meta.token", "must be text, not a number"),
    (#"{"_meta":{"timeoutMs":"5"}}"#, "_meta.timeoutMs", "must be an integer, not text"),
    (#"{"_meta":{"tocken":"x"}}"#, "_meta.tocken", "is not a known member"),
    (#"{"_meta":[]}"#, "_meta", "must be an object, not an array"),
    (#"{"_meta":{"token":"a\u0000"}}"#, "_meta.token", "must not hold the character U+0000"),
    (#"{"_meta":{},"_meta":{"token":"x"}}"#, "_meta", "appears twice"),
    (#"{"_meta":{"token":"x","token":"y"}}"#, "_meta.token", "appears twice"),
  ])
  func aFaultInMetaIsNamed(params: String, field: String, problem: String) throws {
    try withRequest(request(params: params)) { (parser, request) throws in
      #expect(throws: RPCError.invalidParams(field, problem)) { try parser.meta(request) }
    }
  }

  @Test func everyMemberOfABatchHasItsOwnMeta() throws {
    let members = (1...3).map { request(params: #"{"_meta":{"token":"\#($0)"}}"#) }
    try withMessage("[" + members.joined(separator: ", ") + "]") { (parser, message) throws in
      guard case .batch(let requests) = message else { return #expect(Bool(false)) }
      #expect(try requests.map { try parser.meta($0)?.token } == ["1", "2", "3"])
      #expect(requests.map { parser.bodyWithoutMeta($0).text } == Array(repeating: request(params: "{}"), count: 3))
      #expect(String(decoding: parser.bytes(of: requests[1]), as: UTF8.self) == members[1])
    }
  }
}
