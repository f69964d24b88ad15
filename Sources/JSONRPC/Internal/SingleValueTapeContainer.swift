// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// One value on the tape.
struct SingleValueTapeContainer: SingleValueDecodingContainer {
  let tape: TapeReader
  let index: Int

  var codingPath: [any CodingKey] { [] }
  func decodeNil() -> Bool { tape[index].kind == .null }
  func decode(_ type: Bool.Type) throws -> Bool { try tape.bool(index) }
  func decode(_ type: String.Type) throws -> String { try tape.string(index) }
  func decode(_ type: Double.Type) throws -> Double { try tape.double(index) }
  func decode(_ type: Float.Type) throws -> Float {
    let value = Float(try tape.double(index))
    guard value.isFinite else {
      throw JSONDecodingError(path: tape.path(to: index), problem: "is too large for a number")
    }
    return value
  }
  func decode(_ type: Int.Type) throws -> Int { try tape.integer(index, type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try tape.integer(index, type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try tape.integer(index, type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try tape.integer(index, type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try tape.integer(index, type) }
  func decode(_ type: UInt.Type) throws -> UInt { try tape.integer(index, type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try tape.integer(index, type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try tape.integer(index, type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try tape.integer(index, type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try tape.integer(index, type) }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try tape.decode(type, at: index) }
}
