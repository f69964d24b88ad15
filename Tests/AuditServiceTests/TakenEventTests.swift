// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Events
import JSONRPC
import Testing

@testable import AuditService

/// Records are hashed as they were delivered where that is possible, and as dictionaries else: nobody may see which.
struct TakenEventTests {
  static let objects = [
    "{}", #"{"a":1}"#, #"{"b":"x","a":true,"c":null}"#, #" { "b" : "x" , "a" : -12 } "#, #"{"a":-0,"b":0}"#,
    #"{"a":999999999999999,"b":9007199254740991,"c":9007199254740992,"d":-9223372036854775808}"#,
    #"{"a":1.0,"b":1e2,"c":0.5,"d":123456789012345678901234567890}"#, #"{"a":"\u0041\n\/","b":"€ \"q\""}"#,
    #"{"\u0061":1,"b":2}"#, #"{"é":1,"z":2,"a":3}"#, #"{"a":1,"b":2,"a":3}"#, #"{"b":{"z":1,"a":[]},"a":["x",1.0]}"#,
    #"{"ab":1,"a":2,"abc":3,"":4}"#, #"{"z":"ü","actor":"person","accountId":"u-1"}"#,
    #"{"actor":"key:shop","accountId":"u-1","zone":"x"}"#, #"{"actor":"key:shop"}"#, #"{"actor":null,"b":1}"#,
    #"{"actor":7,"b":1}"#, #"{"actor":"key:shop","actorHash":"old","actorApp":"x","actorZ":1}"#,
    #"{"actor":"person","actorHash":"old","actorApp":"x"}"#, #"{"actor":"k\u0065y:shop","a":1}"#,
    #"{"category":"ads","status":"granted","regulation":"gdpr","policyVersion":3,"superseded":true}"#,
    #"{"category":1,"status":null,"regulation":true,"policyVersion":"3","superseded":"true"}"#,
    #"{"policyVersion":3.0,"superseded":false}"#,
  ]

  static func record(facts: String = "{}", personal: String = "{}") throws -> TakenRecord {
    let text = #"""
      {"entryId":"e1","kind":"consent.granted","timestamp":"2026-01-02T03:04:05.678Z",\#
      "facts":\#(facts),"personal":\#(personal)}
      """#
    return try JSON.decode(TakenRecord.self, from: text)
  }

  @Test(arguments: objects)
  func `facts are hashed and found as a dictionary's are`(_ object: String) throws {
    let taken = try Self.record(facts: object).facts
    let read = try RecordFacts(JSON.decode([String: JSONValue].self, from: object))
    #expect(String(decoding: taken.text.bytes, as: UTF8.self) == String(decoding: read.text.bytes, as: UTF8.self))
    #expect(try taken.text.bytes == JSON.canonical(JSON.decode(JSONValue.self, from: taken.text.bytes)))
    #expect(taken.category == read.category)
    #expect(taken.status == read.status)
    #expect(taken.regulation == read.regulation)
    #expect(taken.policyVersion == read.policyVersion)
    #expect(taken.isSuperseded == read.isSuperseded)
  }

  /// The personal part as a dictionary that is changed and then written.
  static func expected(_ object: String, topic: String?) throws -> (personal: [UInt8], actor: String?) {
    var members = try JSON.decode([String: JSONValue].self, from: object)
    let actor = members["actor"]?.stringValue
    if let topic { members["topic"] = .string(topic) }
    if let actor, SealedPart.namesKey(actor) {
      members["actor"] = nil
      members["actorHash"] = "0a0b"
    }
    return (try EntryFormat.canonical(members).bytes, actor)
  }

  @Test(arguments: objects, [nil, "news", "é\"\\"])
  func `a personal part is what a dictionary's would be`(_ object: String, _ topic: String?) throws {
    var taken = try Self.record(personal: object).personal
    if let topic { taken = try taken.adding("topic", topic) }
    let expected = try Self.expected(object, topic: topic)
    #expect(taken.actor == expected.actor)
    let hash = taken.actor.map(SealedPart.namesKey) == true ? "0a0b" : nil
    #expect(
      try String(decoding: taken.canonical(actorHash: hash).bytes, as: UTF8.self)
        == String(decoding: expected.personal, as: UTF8.self))
  }

  @Test
  func `records stay with an event for its other subscribers alone`() throws {
    let alone = Event.of("a:maya", 1, facts: ["b": 1, "a": "x"], personal: ["note": "n"])
    let shared = alone.with { $0.replay = EventReplay(effects: RawJSON(Array("[]".utf8)), isShared: true) }
    for event in [alone, shared] {
      let taken = try JSON.decode(TakenEvent.self, from: JSON.encode(event))
      #expect(taken.event == event.with { if $0.replay == nil { $0.records = [] } })
      #expect(try taken.records.map { try $0.record } == event.records)
      #expect(try JSON.decode(Event.self, from: JSON.encode(taken)) == event)
    }
  }

  @Test(
    arguments: [
      (#"{"facts":[],"personal":{}}"#, "facts: must be an object, not an array"),
      (#"{"facts":{},"personal":"x"}"#, "personal: must be an object, not text"),
      (#"{"facts":{}}"#, "personal: is missing"),
    ])
  func `what is no record is refused by name`(_ members: String, _ problem: String) throws {
    let text = #"{"entryId":"e","kind":"k","timestamp":"2026-01-02T03:04:05.678Z","# + members.dropFirst()
    let error = #expect(throws: JSONDecodingError.self) { try JSON.decode(TakenRecord.self, from: text) }
    #expect(error.map { "\($0.path): \($0.problem)" } == problem)
  }
}
