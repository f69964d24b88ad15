// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// An object being written, member by member. It ends when something is written outside it; a member that comes later
/// than that fails the encoding.
struct KeyedByteContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  private let output: UnsafeMutablePointer<JSONOutput>
  private let level: Int
  private let bracket: Int

  init(_ output: UnsafeMutablePointer<JSONOutput>, _ level: Int) {
    self.output = output
    self.level = level
    bracket = output.pointee.bracket(at: level)
  }

  var codingPath: [any CodingKey] { [] }

  @inline(__always) private func name(_ key: Key) {
    guard output.pointee.bracket(at: level) == bracket else {
      return output.pointee.fail(.writtenLate)
    }
    output.pointee.nextElement(of: level)
    output.pointee.put(string: key.stringValue)
    output.pointee.put(UInt8(ascii: ":"))
  }

  func encodeNil(forKey key: Key) throws {
    name(key)
    output.pointee.put("null")
  }
  func encode(_ value: Bool, forKey key: Key) throws {
    name(key)
    output.pointee.put(value)
  }
  func encode(_ value: String, forKey key: Key) throws {
    name(key)
    output.pointee.put(string: value)
  }
  func encode(_ value: Double, forKey key: Key) throws {
    name(key)
    output.pointee.put(number: value)
  }
  func encode(_ value: Int, forKey key: Key) throws {
    name(key)
    output.pointee.put(integer: value)
  }
  func encode(_ value: Int64, forKey key: Key) throws {
    name(key)
    output.pointee.put(integer: value)
  }
  /// Also serves the rarer number types, which come back through a single-value container.
  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    name(key)
    try output.encode(value)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    name(key)
    return ByteEncoder(output).container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    name(key)
    return ByteEncoder(output).unkeyedContainer()
  }
  /// Its value is to be written before the object's next member.
  func superEncoder() -> any Encoder {
    guard let key = Key(stringValue: "super") else {
      output.pointee.fail(.noSuperclassMember)
      return ByteEncoder(output)
    }
    return superEncoder(forKey: key)
  }
  func superEncoder(forKey key: Key) -> any Encoder {
    name(key)
    return ByteEncoder(output)
  }
}
