// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

import JSONRPC

private enum Category: String, Codable, CaseIterable { case analytics, ads, crash = "crash-reports" }
private enum Unlisted: String, Codable { case a, b }

private struct TimeOfDay: Codable, Equatable {
  var hour: Int
  var minute: UInt8

  init(hour: Int, minute: UInt8) {
    self.hour = hour
    self.minute = minute
  }
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    hour = try container.decode(Int.self, forKey: .hour)
    minute = try container.decode(UInt8.self, forKey: .minute)
    guard (0...23).contains(hour) else { throw RPCError.invalidParams("hour", "\(hour) is not in 0...23") }
  }
}

private struct QuietHours: Codable, Equatable {
  var from: TimeOfDay
  var to: TimeOfDay?
  var days: Set<Int>?
}

private struct Preferences: Codable, Equatable {
  var quietHours: QuietHours?
  var categories: [Category]
  var choices: [String: Bool]
  var ratio: Double?
  var at: Timestamp?
  var extra: JSONValue?
}

@Suite struct JSONDecodingTests {
  @Test func aWholeValueIsDecoded() throws {
    let text = """
      {"choices":{"a":true,"b\\u00e9":false}, "at":"2026-01-02T03:04:05.678Z", "categories":["ads","crash-reports"],
       "quietHours":{"from":{"hour":22,"minute":30},"to":null,"days":[1,2]},"ratio":-2.5e-1,"later":"ignored",
       "extra":{"x":[1,2.5,"y",null,true]}}
      """
    let value = try JSON.decode(Preferences.self, from: text)
    #expect(
      value
        == Preferences(
          quietHours: QuietHours(from: TimeOfDay(hour: 22, minute: 30), to: nil, days: [1, 2]),
          categories: [.ads, .crash], choices: ["a": true, "bé": false], ratio: -0.25,
          at: Timestamp(milliseconds: 1_767_323_045_678), extra: ["x": [1, .number(2.5), "y", nil, true]]))
  }

  @Test(arguments: [
    (#"{}"#, "categories: is missing"),
    (#"{"categories":[],"choices":[]}"#, "choices: must be an object, not an array"),
    (#"{"categories":{},"choices":{}}"#, "categories: must be an array, not an object"),
    (#"{"categories":["ads","nope"],"choices":{}}"#, "categories[1]: must be one of analytics, ads, crash-reports"),
    (#"{"categories":[1],"choices":{}}"#, "categories[0]: must be text, not a number"),
    (#"{"categories":[],"choices":{"a":1}}"#, "choices.a: must be true or false, not a number"),
    (#"{"categories":[],"choices":{},"ratio":"x"}"#, "ratio: must be a number, not text"),
    (#"{"categories":[],"choices":{},"ratio":1e999}"#, "ratio: is too large for a number"),
    (#"{"categories":[],"choices":{},"at":"today"}"#, "at: must be a time in UTC such as 2026-01-02T03:04:05.678Z"),
    (#"{"categories":[],"choices":{},"at":7}"#, "at: must be text, not a number"),
    (#"{"quietHours":{"from":{"hour":2}},"categories":[]}"#, "quietHours.from.minute: is missing"),
    (
      #"{"quietHours":{"from":{"hour":2,"minute":256}},"categories":[]}"#,
      "quietHours.from.minute: must be an integer in 0...255"
    ),
    (#"{"quietHours":{"from":{"hour":2.5,"minute":0}}}"#, "quietHours.from.hour: must be an integer"),
    (#"{"quietHours":{"from":{"hour":27,"minute":0}}}"#, "quietHours.from.hour: 27 is not in 0...23"),
    (#"[]"#, "must be an object, not an array"),
    (#"{"categories""#, "the text ends too early"),
    ("", "the text ends too early"),
    ("{} {}", "more text after the value, at offset 3"),
  ])
  func anErrorNamesThePlaceAndWhatIsAllowed(text: String, message: String) {
    let error = #expect(throws: JSONDecodingError.self) { try JSON.decode(Preferences.self, from: text) }
    #expect(error?.description == message)
  }

  @Test func anEnumThatDoesNotListItsCasesDoesNotEchoTheText() {
    let error = #expect(throws: JSONDecodingError.self) { try JSON.decode([Unlisted].self, from: #"["a","Maya"]"#) }
    #expect(error == JSONDecodingError(path: "[1]", problem: "is not an allowed value"))
  }

  @Test(arguments: [
    ("1", 1), ("-1", -1), ("0", 0), ("-0", 0), ("1.0", 1), ("1e2", 100), ("1.5e1", 15), ("-2.0E+1", -20),
    ("9223372036854775807", .max), ("-9223372036854775808", .min), ("9007199254740992.0", 1 << 53),
  ])
  func everySpellingOfAnIntegerIsOne(text: String, value: Int) throws {
    #expect(try JSON.decode(Int.self, from: text) == value)
  }

  @Test(arguments: ["1.5", "1e-1", "9223372036854775808", "-9223372036854775809", "1e16", "1e400", "\"1\"", "true"])
  func whatIsNoIntegerIsRefused(text: String) {
    #expect(throws: JSONDecodingError.self) { try JSON.decode(Int.self, from: text) }
  }

  @Test func everyIntegerTypeHasItsOwnRange() throws {
    func check<I: FixedWidthInteger & Codable>(_ type: I.Type) throws {
      for value in [I.min, I.max, 0] {
        #expect(try JSON.decode([I].self, from: JSON.encode([value])) == [value])
      }
      #expect(throws: JSONDecodingError.self) { try JSON.decode(I.self, from: "\(I.max)0") }
      #expect(throws: JSONDecodingError.self) { try JSON.decode(I.self, from: "-\(I.max)0") }
    }
    try check(Int.self)
    try check(Int8.self)
    try check(Int16.self)
    try check(Int32.self)
    try check(Int64.self)
    try check(UInt.self)
    try check(UInt8.self)
    try check(UInt16.self)
    try check(UInt32.self)
    try check(UInt64.self)
  }

  @Test(arguments: [
    (#""\u0041\n\r\t\b\f\/\\\"""#, "A\n\r\t\u{8}\u{c}/\\\""), (#""\ud83d\ude00é""#, "😀é"), (#""\u0000""#, "\0"),
    (#""""#, ""),
    (#""0123456\n789abcdefghij""#, "0123456\n789abcdefghij"), (#""\u20ac""#, "€"),
  ])
  func escapesAreRead(text: String, value: String) throws {
    #expect(try JSON.decode(String.self, from: text) == value)
  }

  @Test func membersAreFoundInAnyOrderAndByTheirDecodedName() throws {
    let text = #"{"\u006dinute":5,"x":{},"hour":1}"#
    #expect(try JSON.decode(TimeOfDay.self, from: text) == TimeOfDay(hour: 1, minute: 5))
  }

  @Test func sixtyFourLevelsAreReadAndOneMoreIsAnError() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    _ = try JSON.decode(JSONValue.self, from: nested(64))
    #expect(throws: JSONDecodingError.self) { try JSON.decode(JSONValue.self, from: nested(65)) }
    #expect(throws: JSONDecodingError.self) { try JSON.decode(JSONValue.self, from: nested(100_000)) }
  }

  @Test func rawJSONKeepsTheBytes() throws {
    let text = #"{"a": {"n":1.50, "s":"\u00e9"} , "b":[1]}"#
    let value = try JSON.decode([String: RawJSON].self, from: text)
    #expect(value["a"].map { String(decoding: $0.bytes, as: UTF8.self) } == #"{"n":1.50, "s":"\u00e9"}"#)
    #expect(try JSON.encodeString(["x": value["a"]]) == #"{"x":{"n":1.50, "s":"\u00e9"}}"#)
  }

  @Test func anObjectOfAnyValuesIsReadAndWrittenAsOne() throws {
    let facts: [String: JSONValue] = ["b": [1, nil], "a": ["x": .number(0.5)]]
    #expect(try JSON.encodeString(["facts": facts]) == #"{"facts":{"a":{"x":0.5},"b":[1,null]}}"#)
    #expect(try JSON.decode([[String: JSONValue]].self, from: JSON.encode([facts])) == [facts])
    let error = #expect(throws: JSONDecodingError.self) { try JSON.decode([[String: JSONValue]].self, from: "[{},[]]") }
    #expect(error?.description == "[1]: must be an object, not an array")
  }

  @Test func tenThousandMembersAreFoundInAnyOrder() throws {
    let value = Dictionary(uniqueKeysWithValues: (0..<10_000).map { ("k\($0)", $0) })
    #expect(try JSON.decode([String: Int].self, from: JSON.encode(value)) == value)
  }
}
