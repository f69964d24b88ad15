// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Decodes Codable types from a tape. Two words, so that it fits inside `any Decoder` and allocates nothing.
struct TapeDecoder: Decoder {
  let tape: TapeReader
  let index: Int

  init(_ tape: TapeReader, _ index: Int) {
    self.tape = tape
    self.index = index
  }

  var userInfo: [CodingUserInfoKey: Any] { [:] }
  /// Errors find the place on the tape; no path is kept.
  var codingPath: [any CodingKey] { [] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(try KeyedTapeContainer<Key>(tape, index))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try UnkeyedTapeContainer(tape, index)
  }
  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    SingleValueTapeContainer(tape: tape, index: index)
  }
}
