// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// An array being written, element by element. It ends when something is written outside it.
struct UnkeyedByteContainer: UnkeyedEncodingContainer {
  private let output: UnsafeMutablePointer<JSONOutput>
  private let level: Int
  private let bracket: Int
  private(set) var count = 0

  init(_ output: UnsafeMutablePointer<JSONOutput>, _ level: Int) {
    self.output = output
    self.level = level
    bracket = output.pointee.bracket(at: level)
  }

  var codingPath: [any CodingKey] { [] }

  @inline(__always) private mutating func element() {
    count += 1
    guard output.pointee.bracket(at: level) == bracket else {
      return output.pointee.fail(.writtenLate)
    }
    output.pointee.nextElement(of: level)
  }

  mutating func encodeNil() throws {
    element()
    output.pointee.put("null")
  }
  mutating func encode(_ value: Bool) throws {
    element()
    output.pointee.put(value)
  }
  mutating func encode(_ value: String) throws {
    element()
    output.pointee.put(string: value)
  }
  mutating func encode(_ value: Double) throws {
    element()
    output.pointee.put(number: value)
  }
  mutating func encode(_ value: Int) throws {
    element()
    output.pointee.put(integer: value)
  }
  /// Also serves the rarer number types, which come back through a single-value container.
  mutating func encode<T: Encodable>(_ value: T) throws {
    element()
    try output.encode(value)
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    element()
    return ByteEncoder(output).container(keyedBy: type)
  }
  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    element()
    return ByteEncoder(output).unkeyedContainer()
  }
  /// Its value is to be written before the array's next element.
  mutating func superEncoder() -> any Encoder {
    element()
    return ByteEncoder(output)
  }
}
