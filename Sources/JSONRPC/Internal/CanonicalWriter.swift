// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// The JSON Canonicalization Scheme (RFC 8785) with integers as the only numbers: no white space, members sorted by
/// their names' UTF-16 code units, the fewest escapes.
struct CanonicalWriter {
  let tape: TapeReader
  let output: UnsafeMutablePointer<JSONOutput>

  /// Every integer up to it is a double of its own.
  static let largestInteger: Int64 = 1 << 53 - 1

  /// - Throws: `JSONDecodingError` for a number that is no integer of at most 2^53 - 1, and for a repeated member.
  func write(_ index: Int) throws {
    switch tape[index].kind {
    case .null, .true, .false: output.pointee.put(tape.bytes(of: index))
    case .string: output.pointee.put(quoting: tape.body(of: index))
    case .escapedString: output.pointee.put(string: try tape.string(index))
    case .integer, .number: try writeInteger(index)
    case .array: try writeArray(index)
    case .object: try writeObject(index)
    }
  }

  private func writeInteger(_ index: Int) throws {
    guard let value = try? tape.integer(index, Int64.self), value.magnitude <= Self.largestInteger.magnitude else {
      throw JSONDecodingError(
        path: tape.path(to: index), problem: "must be an integer of at most 2^53 - 1 in canonical JSON")
    }
    output.pointee.put(integer: value)
  }

  private func writeArray(_ index: Int) throws {
    output.pointee.put(UInt8(ascii: "["))
    var element = index + 1
    while element < tape.end(of: index) {
      if element > index + 1 { output.pointee.put(UInt8(ascii: ",")) }
      try write(element)
      element = tape.end(of: element)
    }
    output.pointee.put(UInt8(ascii: "]"))
  }

  private func writeObject(_ index: Int) throws {
    var members: [(name: String, value: Int)] = []
    var name = index + 1
    while name < tape.end(of: index) {
      members.append((try tape.string(name), name + 1))
      name = tape.end(of: name + 1)
    }
    members.sort { $0.name.utf16.lexicographicallyPrecedes($1.name.utf16) }
    output.pointee.put(UInt8(ascii: "{"))
    for (position, member) in members.enumerated() {
      if position > 0 {
        guard !members[position - 1].name.utf16.elementsEqual(member.name.utf16) else {
          throw JSONDecodingError(path: tape.path(to: member.value), problem: "appears twice")
        }
        output.pointee.put(UInt8(ascii: ","))
      }
      output.pointee.put(string: member.name)
      output.pointee.put(UInt8(ascii: ":"))
      try write(member.value)
    }
    output.pointee.put(UInt8(ascii: "}"))
  }
}
