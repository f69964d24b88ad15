// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

import JSONRPC

private enum Category: String, Codable, CaseIterable, CodingKeyRepresentable { case analytics, crash = "crash-reports" }
private enum Priority: Int, Codable, CaseIterable { case low = 1, high = 5 }
private enum Unlisted: String, Codable { case a, b }
private enum Payload: Codable { case text(String), none }

private struct Params: Codable {
  var name: String
  var note: String?
  var count: UInt8
  var revision: Int64
  var ratio: Double?
  var at: Timestamp
  var category: Category
  var priority: Priority?
  var choices: [Category: Bool]
  var labels: [String: [String]]
  var days: Set<Int>?
  var anything: JSONValue?
  var email: Email
  var tree: Tree?
  var other: Tree?
  enum CodingKeys: String, CodingKey {
    case name, note, count, revision, ratio, at, category, priority, choices, labels, days, anything, email, tree, other
  }
}
private struct Tree: Codable {
  var name: String
  var children: [Tree]
}
private final class Linked: Codable {
  var next: Linked?
}
private final class Endless: Codable {
  let next: Endless
}
private struct Email: Codable, SchemaDescribed {
  var text: String
  static var schema: Schema { .string(format: "email") }
  static var schemaExample: Self { Email(text: "a@example.com") }
  init(text: String) { self.text = text }
  init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
    guard text.contains("@") else { throw RPCError.invalidParams("", "must be an address") }
  }
}
private struct Wrapped: Codable {
  var value: String
  init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(String.self) }
}
private struct Section: Codable {
  var value: String?
  var error: JSONValue?
  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    value = try members.decode(String?.self, forKey: .value)
    error = try members.decodeIfPresent(JSONValue.self, forKey: .error)
  }
}
private struct ByHand: Codable {
  var limit: Int
  var hour: Int
  enum Key: String, CodingKey { case limit, from, hour }
  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Key.self)
    limit = try members.decodeIfPresent(Int.self, forKey: .limit) ?? 50
    hour = try members.nestedContainer(keyedBy: Key.self, forKey: .from).decode(Int.self, forKey: .hour)
  }
  func encode(to encoder: any Encoder) throws {}
}

@Suite struct SchemaTests {
  @Test func aTypeShowsItsMembersInOrder() throws {
    var recorder = SchemaRecorder()
    let members = try recorder.members(of: Params.self)
    #expect(
      members.map(\.name) == [
        "name", "note", "count", "revision", "ratio", "at", "category", "priority", "choices", "labels", "days",
        "anything", "email", "tree", "other",
      ])
    #expect(
      members.filter(\.isRequired).map(\.name) == [
        "name", "count", "revision", "at", "category", "choices", "labels", "email",
      ])
    let tree = members[13].schema
    #expect(
      members.map(\.schema) == [
        .string(), .string(), .integer(minimum: 0, maximum: 255), .integer(), .number, .string(format: "date-time"),
        .oneOf(["analytics", "crash-reports"]), .oneOf([1, 5]),
        .map(.boolean, names: ["analytics", "crash-reports"]), .map(.array(.string())), .array(.integer()), .any,
        .string(format: "email"), tree, tree,
      ])
    guard case .reference(let name) = tree else { return #expect(Bool(false)) }
    #expect(recorder.named[name] == .object([.init("name", .string()), .init("children", .array(tree))]))
  }

  @Test func aTypeMayContainItself() throws {
    var recorder = SchemaRecorder()
    let schema = try recorder.record(Linked.self)
    #expect(recorder.named.values.contains(.object([.init("next", schema, isRequired: false)])))
    #expect(throws: SchemaError.self) { try recorder.record(Endless.self) }
  }

  @Test func handWrittenDecodingIsSeen() throws {
    var recorder = SchemaRecorder()
    #expect(
      try recorder.members(of: ByHand.self) == [
        .init("limit", .integer(), isRequired: false), .init("from", .object([.init("hour", .integer())])),
      ])
    #expect(try recorder.record(Wrapped.self) == .string())
    #expect(try recorder.record([Wrapped?].self) == .array(.string()))
  }

  @Test func anOptionalThatIsAskedForAsSuchMayBeNull() throws {
    var recorder = SchemaRecorder()
    #expect(
      try recorder.members(of: Section.self) == [
        .init("value", .nullable(.string()), isRequired: false), .init("error", .any, isRequired: false),
      ])
    #expect(
      try JSON.encodeString(Schema.nullable(.boolean).json) == #"{"anyOf":[{"type":"boolean"},{"type":"null"}]}"#)
  }

  @Test func aTypeThatShowsNothingIsNamedWithItsPlace() {
    struct Outer: Codable {
      var list: [Inner]
      struct Inner: Codable { var word: Unlisted }
    }
    var recorder = SchemaRecorder()
    let error = #expect(throws: SchemaError.self) { try recorder.record(Outer.self) }
    #expect(error?.path == "Outer.list[].word")
    #expect(throws: SchemaError.self) { try recorder.record(Payload.self) }
    #expect(throws: SchemaError.self) { try recorder.record([Priority: Int].self) }
    #expect(throws: SchemaError.self) { try recorder.members(of: [Int].self) }
  }

  @Test func aSchemaIsWrittenAsJSONSchema() throws {
    let schema = Schema.object([
      .init("a", .array(.reference("Tree"))), .init("b", .map(.any, names: ["x"]), isRequired: false),
      .init("c", .integer(minimum: 0)), .init("d", .oneOf(["y", 1])),
    ])
    #expect(
      try JSON.encodeString(schema.json) == ##"{"properties":{"a":{"items":{"$ref":"#/components/schemas/Tree"},"##
        + #""type":"array"},"b":{"additionalProperties":true,"propertyNames":{"enum":["x"]},"type":"object"},"#
        + #""c":{"minimum":0,"type":"integer"},"d":{"enum":["y",1]}},"required":["a","c","d"],"type":"object"}"#)
  }
}
