// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

import JSONRPC

/// RFC 8785 with integers as the only numbers.
@Suite struct CanonicalJSONTests {
  @Test(arguments: [
    (#"{ "b" : 1, "a" : [ true , null, "x" ] }"#, #"{"a":[true,null,"x"],"b":1}"#),
    (
      #"{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}"#,
      "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\u{FB33}\":3}"
    ),
    (#""\u0041\u000a\u002f\u001F\u0022""#, #""A\n/\u001f\"""#),
    ("[1.0,1e2,-0,0.0,9007199254740991,-9007199254740991]", "[1,100,0,0,9007199254740991,-9007199254740991]"),
    (#"{"a":{"d":1,"c":2},"":3}"#, #"{"":3,"a":{"c":2,"d":1}}"#),
    ("{}", "{}"), ("[]", "[]"), (#"{"a":{},"b":[]}"#, #"{"a":{},"b":[]}"#),
    // One character, spelled in two ways, stays two texts.
    (#"{"\u00e9":1,"e\u0301":2}"#, "{\"e\u{301}\":2,\"\u{e9}\":1}"),
  ])
  func equalValuesHaveEqualBytes(text: String, canonical: String) throws {
    let bytes = try JSON.canonical(RawJSON(Array(text.utf8)))
    #expect(bytes == Array(canonical.utf8), "\(String(decoding: bytes, as: UTF8.self))")
  }

  @Test(arguments: ["1.5", "1e-7", "9007199254740992", "[1e300]", #"{"a":1,"\u0061":2}"#])
  func whatHasNoCanonicalTextIsRefused(text: String) {
    #expect(throws: JSONDecodingError.self) { try JSON.canonical(RawJSON(Array(text.utf8))) }
  }

  @Test(arguments: [
    #"{"b":1,"a":[true,null,"x",{"d":-5,"c":{}}]}"#,
    #"{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}"#,
    "[1.0,1e2,-0,0.0,9007199254740991,-9007199254740991,[]]", #""\u0041\u000a\u001F\u0022""#, "null",
  ])
  func valuesAreWrittenLikeTheirText(text: String) throws {
    #expect(
      try JSON.canonical(JSON.decode(JSONValue.self, from: text)) == JSON.canonical(RawJSON(Array(text.utf8))))
  }

  @Test(arguments: ["1.5", "1e-7", "9007199254740992", "[1e300]"])
  func numbersWithoutCanonicalTextAreRefusedInValuesToo(text: String) {
    #expect(throws: JSONDecodingError.self) { try JSON.canonical(JSON.decode(JSONValue.self, from: text)) }
  }

  @Test func typesAreWrittenLikeTheirValues() throws {
    struct Entry: Encodable {
      var subject = "s"
      var at = Timestamp(milliseconds: 0)
      var count = 3
    }
    #expect(
      String(decoding: try JSON.canonical(Entry()), as: UTF8.self)
        == #"{"at":"1970-01-01T00:00:00.000Z","count":3,"subject":"s"}"#)
  }
}
