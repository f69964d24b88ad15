// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Types whose schema needs no recording.
enum SimpleTypes {
  static func schema(of type: any Decodable.Type) -> (schema: Schema, example: Any)? {
    switch type {
    case is String.Type: return (.string(), "")
    case is Bool.Type: return (.boolean, false)
    case is Double.Type: return (.number, 0.0)
    case is Float.Type: return (.number, Float(0))
    case is Timestamp.Type: return (.string(format: "date-time"), Timestamp(milliseconds: 0))
    case is JSONValue.Type: return (.any, JSONValue.null)
    case is RawJSON.Type: return (.any, RawJSON(Array("null".utf8)))
    default: break
    }
    if let integer = type as? any FixedWidthInteger.Type { return (range(of: integer), integer.init(clamping: 0)) }
    if let closed = type as? any CaseIterable.Type { return values(of: closed) }
    return nil
  }

  /// Bounds as far as they are tighter than those of 64 bits.
  private static func range<I: FixedWidthInteger>(of type: I.Type) -> Schema {
    let minimum = Int64(exactly: I.min).flatMap { $0 == .min ? nil : $0 }
    let maximum = Int64(exactly: I.max).flatMap { $0 == .max ? nil : $0 }
    return .integer(minimum: minimum, maximum: maximum)
  }

  /// An enum with raw values that lists its cases.
  private static func values<C: CaseIterable>(of type: C.Type) -> (schema: Schema, example: Any)? {
    let values = type.allCases.compactMap { value -> JSONValue? in
      switch (value as? any RawRepresentable)?.rawValue {
      case let text as String: .string(text)
      case let number as Int: .integer(Int64(number))
      default: nil
      }
    }
    guard let example = type.allCases.first, values.count == type.allCases.count else { return nil }
    return (.oneOf(values), example)
  }
}

/// A collection or an optional: described by what it holds instead of being decoded.
protocol SchemaTransparent {
  static func schema(_ recorder: inout SchemaRecorder, _ path: String) throws(SchemaError) -> Schema
  static var emptyExample: Any { get }
}

extension Optional: SchemaTransparent where Wrapped: Decodable {
  static func schema(_ recorder: inout SchemaRecorder, _ path: String) throws(SchemaError) -> Schema {
    try recorder.record(Wrapped.self, path: path).schema
  }
  static var emptyExample: Any { Wrapped?.none as Any }
}

extension Array: SchemaTransparent where Element: Decodable {
  static func schema(_ recorder: inout SchemaRecorder, _ path: String) throws(SchemaError) -> Schema {
    .array(try recorder.record(Element.self, path: path + "[]").schema)
  }
  static var emptyExample: Any { [Element]() }
}

extension Set: SchemaTransparent where Element: Decodable {
  static func schema(_ recorder: inout SchemaRecorder, _ path: String) throws(SchemaError) -> Schema {
    .array(try recorder.record(Element.self, path: path + "[]").schema)
  }
  static var emptyExample: Any { Set<Element>() }
}

extension Dictionary: SchemaTransparent where Key: Decodable, Value: Decodable {
  static func schema(_ recorder: inout SchemaRecorder, _ path: String) throws(SchemaError) -> Schema {
    guard Key.self == String.self || Key.self is any CodingKeyRepresentable.Type else {
      throw SchemaError(
        type: String(describing: Self.self), path: path,
        reason: "its keys are not CodingKeyRepresentable, so it is coded as an array")
    }
    var names: [String]?
    if case .oneOf(let values) = SimpleTypes.schema(of: Key.self)?.schema { names = values.compactMap(\.stringValue) }
    return .map(try recorder.record(Value.self, path: path + ".*").schema, names: names)
  }
  static var emptyExample: Any { Self() }
}
