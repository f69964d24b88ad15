// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import Testing

@testable import RPC

private struct FindParams: Codable, Sendable {
  var name: String
  var limit: Int?
}
private struct Found: Codable, Sendable {
  var items: [Item]
  var nextCursor: String?
  struct Item: Codable, Sendable { var at: Timestamp }
}

@Suite struct OpenRPCTests {
  private static let methods = [
    Method<FindParams, Found>("things.find", "Finds things", Access(user: true, scopes: ["check"]), errors: [.notFound])
      .descriptor,
    Method<Empty, Empty>("things.clear", "Forgets all", Access(roles: ["admin"]), effect: .write, deprecated: true)
      .descriptor,
  ]

  private func document() throws -> JSONValue {
    try JSON.decode(JSONValue.self, from: OpenRPC.document(title: "things", methods: Self.methods).bytes)
  }

  @Test func aMethodShowsItsParamsResultErrorsAndCallers() throws {
    let document = try document()
    #expect(document["openrpc"] == "1.3.2")
    #expect(document["info"] == ["title": "things", "version": "1.0.0"])
    let methods = try #require(document["methods"]?.arrayValue)
    #expect(methods.map { $0["name"] } == ["things.clear", "things.find"])
    #expect(
      methods[1] == [
        "name": "things.find", "summary": "Finds things", "paramStructure": "by-name",
        "params": [
          ["name": "name", "required": true, "schema": ["type": "string"]],
          ["name": "limit", "schema": ["type": "integer"]],
        ],
        "result": ["name": "result", "schema": methods[1]["result"]?["schema"] ?? nil],
        "errors": [["code": -32005, "message": "NOT_FOUND"]],
        "x-access": ["user": true, "scopes": ["check"]], "x-effect": "read",
      ])
    #expect(methods[0]["deprecated"] == true)
    #expect(methods[0]["params"] == [])
    #expect(methods[0]["x-effect"] == "write")
  }

  @Test func everyReferenceHasItsSchema() throws {
    let document = try document()
    let schemas = try #require(document["components"]?["schemas"]?.objectValue)
    let references = Self.references(document)
    #expect(!references.isEmpty)
    for reference in references {
      #expect(schemas[String(reference.dropFirst(Schema.referencePrefix.count))] != nil, "\(reference)")
    }
  }

  private static func references(_ value: JSONValue) -> [String] {
    switch value {
    case .object(let members):
      (members["$ref"]?.stringValue.map { [$0] } ?? []) + members.values.flatMap(references)
    case .array(let elements): elements.flatMap(references)
    default: []
    }
  }
}
