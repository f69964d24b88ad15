// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// One value being written.
struct SingleValueByteContainer: SingleValueEncodingContainer {
  let output: UnsafeMutablePointer<JSONOutput>

  var codingPath: [any CodingKey] { [] }
  func encodeNil() throws { output.pointee.put("null") }
  func encode(_ value: Bool) throws { output.pointee.put(value) }
  func encode(_ value: String) throws { output.pointee.put(string: value) }
  func encode(_ value: Double) throws { output.pointee.put(number: value) }
  func encode(_ value: Float) throws { output.pointee.put(number: value) }
  func encode(_ value: Int) throws { output.pointee.put(integer: value) }
  func encode(_ value: Int8) throws { output.pointee.put(integer: value) }
  func encode(_ value: Int16) throws { output.pointee.put(integer: value) }
  func encode(_ value: Int32) throws { output.pointee.put(integer: value) }
  func encode(_ value: Int64) throws { output.pointee.put(integer: value) }
  func encode(_ value: UInt) throws { output.pointee.put(integer: value) }
  func encode(_ value: UInt8) throws { output.pointee.put(integer: value) }
  func encode(_ value: UInt16) throws { output.pointee.put(integer: value) }
  func encode(_ value: UInt32) throws { output.pointee.put(integer: value) }
  func encode(_ value: UInt64) throws { output.pointee.put(integer: value) }
  func encode<T: Encodable>(_ value: T) throws { try output.encode(value) }
}
