// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import Testing

/// Types that write and read their members themselves do as the compiler's would.
@Suite struct JSONObjectTests {
  private struct Leaf: Codable, Hashable {
    var text: String
    var at: Timestamp?
  }

  /// The compiler's way.
  private struct Plain: Codable, Hashable {
    var text: String
    var number: Int64
    var count: Int
    var flag: Bool
    var at: Timestamp
    var facts: [String: JSONValue]
    var flags: [String: Bool]
    var leaves: [Leaf]
    var maybe: String?
    var leaf: Leaf?
  }

  /// The same by hand.
  private struct ByHand: JSONObjectEncodable, Decodable {
    struct Leaf: JSONObjectEncodable {
      let leaf: JSONObjectTests.Leaf
      func encode(into object: JSONObject) {
        object.put("text") { text in
          text.add(leaf.text)
          text.add(plain: "")
        }
        object.put("at", leaf.at)
      }
    }
    let plain: Plain

    func encode(into object: JSONObject) {
      object.put("text", plain.text)
      object.put("number", plain.number)
      object.put("count", plain.count)
      object.put("flag", plain.flag)
      object.put("at", plain.at)
      object.put("facts", plain.facts)
      object.put("flags", JSONValue.object(plain.flags.mapValues { .bool($0) }))
      object.put("leaves", plain.leaves.map(Leaf.init))
      object.put("maybe", plain.maybe)
      if let leaf = plain.leaf { object.put("leaf", Leaf(leaf: leaf)) }
    }

    init(plain: Plain) { self.plain = plain }
    init(from decoder: any Decoder) throws {
      let members = try JSONMembers(decoder)
      plain = Plain(
        text: try members.read("text"), number: try members.read("number"), count: try members.read("count"),
        flag: try members.read("flag"), at: try members.read("at"), facts: try members.read("facts"),
        flags: try members.read("flags"), leaves: try members.readAll("leaves"),
        maybe: try members.readIfPresent("maybe"), leaf: try members.readIfPresent("leaf"))
    }
  }

  private static let full = Plain(
    text: "a \"b\"\n\u{1F600}", number: .min, count: 7, flag: true, at: Timestamp(milliseconds: 1),
    facts: ["k": ["deep": [1, nil]]], flags: ["x": false],
    leaves: [Leaf(text: "1"), Leaf(text: "\\", at: Timestamp(milliseconds: 2))], maybe: "", leaf: Leaf(text: ""))
  private static let sparse = Plain(
    text: "", number: 0, count: -1, flag: false, at: Timestamp(milliseconds: 0), facts: [:], flags: [:], leaves: [])

  @Test(arguments: [full, sparse]) private func textAndValueAreTheSame(plain: Plain) throws {
    let text = try JSON.encodeString(plain)
    #expect(try JSON.encodeString(ByHand(plain: plain)) == text)
    #expect(try JSON.encodeString([ByHand(plain: plain)]) == "[\(text)]")
    #expect(try JSON.decode(ByHand.self, from: text).plain == plain)
  }

  @Test(arguments: ["text", "number", "count", "flag", "at", "flags", "leaves"])
  func whatIsMissingOrOfAnotherKindIsNamed(member: String) throws {
    var members = try JSON.decode([String: JSONValue].self, from: JSON.encode(Self.full))
    for value in [nil, JSONValue.array([.array([])])] {
      members[member] = value
      let text = try JSON.encode(members)
      let byHand = #expect(throws: JSONDecodingError.self) { try JSON.decode(ByHand.self, from: text) }
      let plain = #expect(throws: JSONDecodingError.self) { try JSON.decode(Plain.self, from: text) }
      #expect("\(byHand!)" == "\(plain!)")
    }
  }
}
