// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

import JSONRPC

private struct Hour: Codable {
  var hour: Int
}
private struct Params: Codable {
  var name: String?
  var list: [Hour]?
  var inner: Inner?
  var map: [String: Hour]?
  var any: JSONValue?
  var raw: RawJSON?
  struct Inner: Codable { var hour: Hour? }
}
private struct Digits: Codable {
  init(from decoder: any Decoder) throws {
    guard try decoder.singleValueContainer().decode(String.self).allSatisfy(\.isNumber) else {
      throw RPCError.invalidParams("", "must be digits", display: "Enter digits.")
    }
  }
  func encode(to encoder: any Encoder) throws {}
}
private struct WithDigits: Codable {
  var codes: [Digits]
}

@Suite struct ParamsTests {
  private func params<P: Decodable>(_ type: P.Type, _ json: String) throws -> P {
    var params: P?
    try withRequest(request(params: json)) { params = try $0.params(type, of: $1) }
    return try #require(params)
  }

  @Test func missingParamsAreAnEmptyObject() throws {
    try withRequest(#"{"jsonrpc":"2.0","id":1,"method":"m"}"#) { (parser, request) throws in
      #expect(try parser.params(Params.self, of: request).name == nil)
      #expect(try parser.params(RawJSON.self, of: request).bytes.text == "{}")
      #expect(try parser.params(JSONValue.self, of: request) == [:])
      #expect(throws: RPCError.invalidParams("hour", "is missing")) { try parser.params(Hour.self, of: request) }
    }
  }

  @Test(arguments: [
    (#"{"nane":1}"#, "nane", "is not a known member"),
    (#"{"name":"x","Name":"y"}"#, "Name", "is not a known member"),
    (#"{"\u006eane":1}"#, "nane", "is not a known member"),
    (#"{"list":[{"hour":1},{"hour":2,"minute":3}]}"#, "list[1].minute", "is not a known member"),
    (#"{"inner":{"hour":{"hour":1,"x":{}}}}"#, "inner.hour.x", "is not a known member"),
    (#"{"map":{"a":{"hour":1},"b":{"hour":2,"y":0}}}"#, "map.b.y", "is not a known member"),
    (#"{"name":"x","name":"x"}"#, "name", "appears twice"),
    (#"{"name":"x","n\u0061me":"x"}"#, "name", "appears twice"),
    (#"{"any":{"a":[{"b":1,"c":2,"b":3}]}}"#, "any.a[0].b", "appears twice"),
    (#"{"raw":{"":1,"":2}}"#, "raw.", "appears twice"),
    (#"{"name":"a\u0000b"}"#, "name", "must not hold the character U+0000"),
    (#"{"any":[{"a":"\u0000"}]}"#, "any[0].a", "must not hold the character U+0000"),
    (#"{"inner":{"hour":{"hour":"x"}}}"#, "inner.hour.hour", "must be an integer, not text"),
    ("[]", "params", "must be an object with named members; an array is not supported"),
    ("[1,2]", "params", "must be an object with named members; an array is not supported"),
  ])
  func aFaultIsNamed(json: String, field: String, problem: String) {
    #expect(throws: RPCError.invalidParams(field, problem)) { try params(Params.self, json) }
  }

  @Test func whatATypeItselfRefusesGetsThePlaceInFront() {
    #expect(throws: RPCError.invalidParams("codes[1]", "must be digits", display: "Enter digits.")) {
      try params(WithDigits.self, #"{"codes":["1","x"]}"#)
    }
  }

  @Test func wholeValuesMayHoldAnyMembers() throws {
    let value = try params(Params.self, #"{"any":{"x":{"y":1}},"raw":{"z":[{"w":2}]}}"#)
    #expect(value.any == ["x": ["y": 1]])
    #expect(value.raw?.bytes.text == #"{"z":[{"w":2}]}"#)
  }

  @Test(arguments: [31, 32, 33, 1000]) func oneRepeatedAmongManyMembersIsFound(count: Int) {
    let members = (0..<count).map { "\"member\($0)\":{\"hour\":1}" }
    let map = { (members: [String]) in #"{"map":{\#(members.joined(separator: ","))}}"# }
    #expect(throws: Never.self) { try params(Params.self, map(members)) }
    #expect(throws: RPCError.invalidParams("map.member\(count / 2)", "appears twice")) {
      try params(Params.self, map(members + [members[count / 2]]))
    }
  }

  @Test func aNotificationWithARepeatedMemberStaysANotification() throws {
    try withRequest(#"{"jsonrpc":"2.0","method":"m","params":{"a":1,"a":2}}"#) { _, request in
      #expect(request.isNotification)
      #expect(request.problem == .invalidParams("a", "appears twice"))
    }
  }
}
