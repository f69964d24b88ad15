// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// A JSON Schema (draft 7), as far as Codable types need it.
public indirect enum Schema: Sendable, Hashable {
  /// Any value.
  case any
  case boolean
  case number
  case integer(minimum: Int64? = nil, maximum: Int64? = nil)
  /// `format` such as `date-time`.
  case string(format: String? = nil)
  /// One of these values.
  case oneOf([JSONValue])
  case array(Schema)
  /// What the schema says, or null.
  case nullable(Schema)
  /// An object with members of one schema; `names`, where they are a closed set.
  case map(Schema, names: [String]? = nil)
  case object([Member])
  /// A named schema of the document.
  case reference(String)

  public struct Member: Sendable, Hashable {
    public var name: String
    public var schema: Schema
    public var isRequired: Bool
    public init(_ name: String, _ schema: Schema, isRequired: Bool = true) {
      self.name = name
      self.schema = schema
      self.isRequired = isRequired
    }
  }

  /// Where the named schemas of an OpenRPC document stand.
  public static let referencePrefix = "#/components/schemas/"

  public var json: JSONValue {
    switch self {
    case .any: return true
    case .boolean: return ["type": "boolean"]
    case .number: return ["type": "number"]
    case .integer(let minimum, let maximum):
      var schema: [String: JSONValue] = ["type": "integer"]
      schema["minimum"] = minimum.map { .integer($0) }
      schema["maximum"] = maximum.map { .integer($0) }
      return .object(schema)
    case .string(let format):
      var schema: [String: JSONValue] = ["type": "string"]
      schema["format"] = format.map { .string($0) }
      return .object(schema)
    case .oneOf(let values): return ["enum": .array(values)]
    case .array(let element): return ["type": "array", "items": element.json]
    case .nullable(let value): return ["anyOf": [value.json, ["type": "null"]]]
    case .map(let value, let names):
      var schema: [String: JSONValue] = ["type": "object", "additionalProperties": value.json]
      schema["propertyNames"] = names.map { ["enum": .array($0.map { .string($0) })] }
      return .object(schema)
    case .object(let members):
      var schema: [String: JSONValue] = ["type": "object"]
      schema["properties"] = .object(Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.schema.json) }))
      let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
      if !required.isEmpty { schema["required"] = .array(required) }
      return .object(schema)
    case .reference(let name): return ["$ref": .string(Self.referencePrefix + name)]
    }
  }
}

/// A type that says its own schema: one whose `init(from:)` refuses values or looks at them before it decides, so that
/// no recording shows what it takes.
public protocol SchemaDescribed: Decodable {
  static var schema: Schema { get }
  /// Any value that it accepts; stands in while a type that contains it is recorded.
  static var schemaExample: Self { get }
}

/// A type whose schema cannot be recorded, and where it was met.
public struct SchemaError: Error, Sendable, CustomStringConvertible {
  public let type: String
  /// From the type that was asked for, such as `Preferences.quietHours.from`.
  public let path: String
  public let reason: String
  public var description: String { "\(path): no schema of \(type): \(reason)" }
}
