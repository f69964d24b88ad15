// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Gives every member a plain value and notes that it was asked for.
struct RecordingDecoder: Decoder {
  let recording: Recording
  let node: RecordingNode

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(KeyedRecordingContainer<Key>(recording: recording, node: node))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw SchemaError(type: "an array decoded by hand", path: node.path, reason: "make it SchemaDescribed")
  }
  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    SingleValueRecordingContainer(recording: recording, node: node)
  }
}

struct KeyedRecordingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let recording: Recording
  let node: RecordingNode

  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { [] }
  func contains(_ key: Key) -> Bool { true }
  func decodeNil(forKey key: Key) throws -> Bool { false }

  private func path(_ key: Key) -> String { "\(node.path).\(key.stringValue)" }

  private func record<T: Decodable>(_ type: T.Type, _ key: Key, isRequired: Bool) throws -> T? {
    let (schema, example) = try recording.recorder.record(type, path: path(key))
    node.add(key, .schema(type is any SchemaOptional.Type ? .nullable(schema) : schema), isRequired: isRequired)
    return example
  }

  /// Serves every type: the members of the protocol for numbers and text are its specializations.
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    guard let example = try record(type, key, isRequired: !(type is any SchemaOptional.Type)) else {
      throw SchemaError(type: String(describing: type), path: path(key), reason: "it must contain itself")
    }
    return example
  }
  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    try record(type, key, isRequired: false)
  }
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try record(type, key, isRequired: false) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try record(type, key, isRequired: false)
  }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try record(type, key, isRequired: false)
  }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try record(type, key, isRequired: false) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    try record(type, key, isRequired: false)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    let child = RecordingNode(path: path(key))
    node.add(key, .node(child), isRequired: true)
    return KeyedDecodingContainer(KeyedRecordingContainer<Nested>(recording: recording, node: child))
  }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw SchemaError(type: "an array decoded by hand", path: path(key), reason: "make it SchemaDescribed")
  }
  func superDecoder() throws -> any Decoder {
    throw SchemaError(type: "a class with a superclass", path: node.path, reason: "make it SchemaDescribed")
  }
  func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder() }
}

/// Marks optionals that are decoded as such (`decode(Int?.self)`).
private protocol SchemaOptional {}
extension Optional: SchemaOptional {}

struct SingleValueRecordingContainer: SingleValueDecodingContainer {
  let recording: Recording
  let node: RecordingNode

  var codingPath: [any CodingKey] { [] }
  func decodeNil() -> Bool { false }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let (schema, example) = try recording.recorder.record(type, path: node.path)
    guard let example else {
      throw SchemaError(type: String(describing: type), path: node.path, reason: "it must contain itself")
    }
    node.single = schema
    return example
  }
}
