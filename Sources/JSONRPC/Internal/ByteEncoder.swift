// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Writes Codable types as JSON text, as they encode themselves.
///
/// Three words, so that it fits inside `any Encoder` and allocates nothing. A value may ask for its container several
/// times and gets the same one (a subclass and its superclass, a struct that is flattened into another).
struct ByteEncoder: Encoder {
  let output: UnsafeMutablePointer<JSONOutput>
  /// Where the value's text begins, and the depth around it.
  private let start: Int
  private let level: Int

  init(_ output: UnsafeMutablePointer<JSONOutput>) {
    self.output = output
    start = output.pointee.count
    level = output.pointee.depth
  }

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedByteContainer<Key>(output, open(UInt8(ascii: "{"))))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    UnkeyedByteContainer(output, open(UInt8(ascii: "[")))
  }
  func singleValueContainer() -> any SingleValueEncodingContainer {
    if output.pointee.count != start { output.pointee.fail(.writtenTwice) }
    return SingleValueByteContainer(output: output)
  }

  private func open(_ bracket: UInt8) -> Int {
    if output.pointee.count == start { return output.pointee.open(bracket) }
    guard output.pointee.bracket(at: level + 1) == start, output.pointee.base[start] == bracket else {
      output.pointee.fail(.writtenTwice)
      return output.pointee.depth
    }
    return level + 1
  }
}

extension UnsafeMutablePointer<JSONOutput> {
  /// Writes one value.
  @inline(__always)
  func encode<T: Encodable>(_ value: T) throws {
    // Each bit cast is to the very type that was just compared, and saves building an encoder.
    if T.self == String.self { return pointee.put(string: unsafeBitCast(value, to: String.self)) }
    if T.self == Timestamp.self { return pointee.put(unsafeBitCast(value, to: Timestamp.self)) }
    if T.self == [String: JSONValue].self {
      return pointee.put(json: .object(unsafeBitCast(value, to: [String: JSONValue].self)))
    }
    try pointee.checkForFailure()
    let level = pointee.depth
    let start = pointee.count
    try value.encode(to: ByteEncoder(self))
    pointee.close(to: level)
    if pointee.count == start { pointee.put("{}") }
  }
}
