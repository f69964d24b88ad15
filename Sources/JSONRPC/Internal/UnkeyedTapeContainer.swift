// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// An array on the tape, element by element. Three words, so that it fits inside its existential.
struct UnkeyedTapeContainer: UnkeyedDecodingContainer {
  private let tape: TapeReader
  private let array: UInt32
  private var position: UInt32
  private(set) var currentIndex = 0

  init(_ tape: TapeReader, _ array: Int) throws {
    guard tape[array].kind == .array else { throw tape.mismatch(array, "an array") }
    self.tape = tape
    self.array = UInt32(array)
    position = UInt32(array) + 1
  }

  var codingPath: [any CodingKey] { [] }
  var count: Int? { nil }
  var isAtEnd: Bool { position >= tape[Int(array)].next }

  private mutating func next() throws -> Int {
    guard !isAtEnd else {
      throw JSONDecodingError(path: tape.path(to: Int(array)), problem: "must have more elements")
    }
    let element = Int(position)
    position = tape[element].next
    currentIndex += 1
    return element
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, tape[Int(position)].kind == .null else { return false }
    _ = try next()
    return true
  }
  mutating func decode(_ type: Bool.Type) throws -> Bool { try tape.bool(next()) }
  mutating func decode(_ type: String.Type) throws -> String { try tape.string(next()) }
  mutating func decode(_ type: Double.Type) throws -> Double { try tape.double(next()) }
  mutating func decode(_ type: Int.Type) throws -> Int { try tape.integer(next(), type) }
  mutating func decode(_ type: Int64.Type) throws -> Int64 { try tape.integer(next(), type) }
  /// Also serves the rarer number types, which come back through a single-value container.
  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try tape.decode(type, at: next()) }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try TapeDecoder(tape, next()).container(keyedBy: type)
  }
  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try TapeDecoder(tape, next()).unkeyedContainer()
  }
  mutating func superDecoder() throws -> any Decoder { TapeDecoder(tape, try next()) }
}
