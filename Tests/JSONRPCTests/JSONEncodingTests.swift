// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

import JSONRPC

private class Animal: Codable {
  var name = "n"
  init() {}
}
private final class Dog: Animal {
  var age = 3
  override init() { super.init() }
  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    age = try container.decode(Int.self, forKey: .age)
    try super.init(from: container.superDecoder())
  }
  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(age, forKey: .age)
    try super.encode(to: container.superEncoder())
    try container.encode(true, forKey: .last)
  }
  private enum Key: CodingKey { case age, last, `super` }
}

/// Members of two types in one object.
private struct Flattened: Encodable {
  func encode(to encoder: any Encoder) throws {
    try ["a": 1].encode(to: encoder)
    try ["b": [2]].encode(to: encoder)
  }
}
private struct Silent: Encodable {
  func encode(to encoder: any Encoder) throws {}
}
private struct LateMember: Encodable {
  func encode(to encoder: any Encoder) throws {
    var outer = encoder.container(keyedBy: Key.self)
    var inner = outer.nestedContainer(keyedBy: Key.self, forKey: .inner)
    try outer.encode(1, forKey: .other)
    try inner.encode(2, forKey: .other)
  }
  private enum Key: CodingKey { case inner, other }
}
private struct LateSuper: Encodable {
  func encode(to encoder: any Encoder) throws {
    var outer = encoder.container(keyedBy: Key.self)
    let late = outer.superEncoder()
    try outer.encode(1, forKey: .other)
    try 2.encode(to: late)
  }
  private enum Key: CodingKey { case other, `super` }
}
private struct UnusedSuper: Encodable {
  func encode(to encoder: any Encoder) throws {
    var outer = encoder.container(keyedBy: Key.self)
    _ = outer.superEncoder()
    try outer.encode(1, forKey: .other)
    var list = outer.nestedUnkeyedContainer(forKey: .list)
    try list.encode(1)
    _ = list.superEncoder()
    try list.encode(2)
  }
  private enum Key: CodingKey { case other, list, `super` }
}
private struct Nested: Encodable {
  func encode(to encoder: any Encoder) throws {
    var outer = encoder.container(keyedBy: Key.self)
    var list = outer.nestedUnkeyedContainer(forKey: .list)
    try list.encode(1)
    var inner = list.nestedContainer(keyedBy: Key.self)
    try inner.encodeNil(forKey: .list)
    _ = list.nestedUnkeyedContainer()
    try list.encodeNil()
    try outer.encode("x", forKey: .other)
  }
  private enum Key: CodingKey { case list, other }
}
private final class Endless: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(self)
  }
}
private enum Payload: Codable, Equatable { case text(String), count(n: Int), none }

@Suite struct JSONEncodingTests {
  @Test(arguments: [
    ("a\"b\\c/é😀", #""a\"b\\c/é😀""#), ("\n\r\t\u{8}\u{c}\u{1}\u{1f}\0", #""\n\r\t\b\f\u0001\u001f\u0000""#),
    ("", #""""#),
  ])
  func textIsEscapedAsLittleAsPossible(text: String, json: String) throws {
    #expect(try JSON.encodeString(text) == json)
  }

  @Test func numbersHaveTheirShortestText() throws {
    #expect(try JSON.encodeString([0.1, -2.5, 1e300, .leastNonzeroMagnitude, 3]) == "[0.1,-2.5,1e+300,5e-324,3.0]")
    #expect(try JSON.encodeString(Float(0.1)) == "0.1")
    #expect(try JSON.encodeString([Int.min, 0, .max]) == "[-9223372036854775808,0,9223372036854775807]")
  }

  @Test(arguments: [Double.infinity, -.infinity, .nan]) func aNumberThatIsNotFiniteIsRefused(value: Double) {
    #expect(throws: EncodingError.self) { try JSON.encode(["x": value]) }
  }

  @Test func absentMembersAreLeftOut() throws {
    struct Value: Encodable {
      var a: Int?
      var b: Int? = 1
    }
    #expect(try JSON.encodeString(Value()) == #"{"b":1}"#)
  }

  @Test func containersMayBeNestedSharedAndInherited() throws {
    #expect(try JSON.encodeString(Nested()) == #"{"list":[1,{"list":null},[],null],"other":"x"}"#)
    #expect(try JSON.encodeString(Flattened()) == #"{"a":1,"b":[2]}"#)
    #expect(try JSON.encodeString([Silent()]) == "[{}]")
    #expect(try JSON.encodeString(Dog()) == #"{"age":3,"super":{"name":"n"},"last":true}"#)
    #expect(try JSON.decode(Dog.self, from: JSON.encode(Dog())).name == "n")
    #expect(try JSON.encodeString(UnusedSuper()) == #"{"super":{},"other":1,"list":[1,{},2]}"#)
  }

  @Test func whatIsWrittenTooLateIsAnError() {
    #expect(throws: EncodingError.self) { try JSON.encode(LateMember()) }
    #expect(throws: EncodingError.self) { try JSON.encode(LateSuper()) }
  }

  @Test func sixtyFourLevelsAreWrittenAndOneMoreIsAnError() throws {
    func nested(_ depth: Int) -> JSONValue { (1..<depth).reduce([]) { value, _ in [value] } }
    #expect(try JSON.decode(JSONValue.self, from: JSON.encode(nested(64))) == nested(64))
    #expect(throws: EncodingError.self) { try JSON.encode(nested(65)) }
    #expect(throws: EncodingError.self) { try JSON.encode(Endless()) }
  }

  @Test func enumsWithPayloadsComeBack() throws {
    let values: [Payload] = [.text("x"), .count(n: 3), .none]
    #expect(try JSON.decode([Payload].self, from: JSON.encode(values)) == values)
    #expect(try JSONDecoder().decode([Payload].self, from: Data(JSON.encode(values))) == values)
    #expect(try JSON.decode([Payload].self, from: [UInt8](JSONEncoder().encode(values))) == values)
  }

  @Test func anotherEncoderWritesTheSameValues() throws {
    let value: JSONValue = ["a": [1, .number(2.5), nil, true, "x"], "b": [:]]
    #expect(try JSON.decode(JSONValue.self, from: [UInt8](JSONEncoder().encode(value))) == value)
    #expect(try JSONDecoder().decode(JSONValue.self, from: Data(JSON.encode(value))) == value)
    let raw = RawJSON(Array(#"{"z":1,"y":[]}"#.utf8))
    #expect(try JSON.decode(JSONValue.self, from: [UInt8](JSONEncoder().encode(raw))) == ["z": 1, "y": []])
  }

  @Test func aLongTextOutgrowsTheBuffer() throws {
    let text = String(repeating: "0123456789\n", count: 10_000)
    #expect(try JSON.decode([String].self, from: JSON.encode([text, text])) == [text, text])
  }
}
