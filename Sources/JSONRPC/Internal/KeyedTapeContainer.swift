// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// An object on the tape, member by member.
struct KeyedTapeContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let tape: TapeReader
  private let object: Int

  init(_ tape: TapeReader, _ object: Int) throws {
    try tape.open(object: object)
    self.tape = tape
    self.object = object
  }

  var codingPath: [any CodingKey] { [] }

  var allKeys: [Key] {
    var keys: [Key] = []
    var name = object + 1
    while name < tape.end(of: object) {
      if !tape[name].has(.hidden), let text = try? tape.string(name), let key = Key(stringValue: text) {
        keys.append(key)
      }
      name = tape.end(of: name + 1)
    }
    return keys
  }

  /// The index of a member's value.
  private func find(_ key: Key) -> Int? {
    var text = key.stringValue
    return text.withUTF8 { tape.find($0, in: object) }
  }

  private func required(_ key: Key) throws -> Int {
    guard let value = find(key) else { throw tape.missing(key.stringValue, in: object) }
    return value
  }

  /// Nil for a member that is missing or null.
  private func optional(_ key: Key) -> Int? {
    guard let value = find(key), tape[value].kind != .null else { return nil }
    return value
  }

  func contains(_ key: Key) -> Bool { find(key) != nil }
  func decodeNil(forKey key: Key) throws -> Bool { tape[try required(key)].kind == .null }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try tape.bool(required(key)) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try tape.string(required(key)) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try tape.double(required(key)) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try tape.integer(required(key), type) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try tape.integer(required(key), type) }
  /// Also serves the rarer number types, which come back through a single-value container.
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try tape.decode(type, at: required(key)) }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try optional(key).map { try tape.bool($0) }
  }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try optional(key).map { try tape.string($0) }
  }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try optional(key).map { try tape.double($0) }
  }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try optional(key).map { try tape.integer($0, type) }
  }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    try optional(key).map { try tape.integer($0, type) }
  }
  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    try optional(key).map { try tape.decode(type, at: $0) }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try TapeDecoder(tape, required(key)).container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try TapeDecoder(tape, required(key)).unkeyedContainer()
  }
  func superDecoder() throws -> any Decoder {
    guard let key = Key(stringValue: "super") else { throw tape.mismatch(object, "an object with a super member") }
    return try superDecoder(forKey: key)
  }
  func superDecoder(forKey key: Key) throws -> any Decoder { TapeDecoder(tape, try required(key)) }
}
