// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// One member of an object, read without Codable: for the few types that are read with every call, where a decoder's
/// containers would cost several times what the reading does.
package struct ObjectMember {
  private let tape: TapeReader
  private let name: Int
  private var value: Int { name + 1 }

  fileprivate init(_ tape: TapeReader, _ name: Int) {
    self.tape = tape
    self.name = name
  }

  package func isNamed(_ text: StaticString) -> Bool { tape.isText(name, text) }

  /// The value as it came.
  package var bytes: UnsafeBufferPointer<UInt8> { tape.bytes(of: value) }

  // Null reads as nil everywhere, as Codable's optionals have it.

  package func string() throws -> String? { try ifPresent(tape.string) }
  package func bool() throws -> Bool? { try ifPresent(tape.bool) }
  package func timestamp() throws -> Timestamp? { try ifPresent(tape.timestamp) }
  // Not generic: modules outside would call it unspecialized.
  package func int() throws -> Int? { try ifPresent { try tape.integer($0, Int.self) } }
  package func int64() throws -> Int64? { try ifPresent { try tape.integer($0, Int64.self) } }

  package func strings() throws -> [String]? {
    try ifPresent { array in
      guard tape[array].kind == .array else { throw tape.mismatch(array, "an array") }
      var strings: [String] = []
      var element = array + 1
      while element < tape.end(of: array) {
        strings.append(try tape.string(element))
        element = tape.end(of: element)
      }
      return strings
    }
  }

  /// - Returns: false for null.
  package func forEachMember(_ body: (ObjectMember) throws -> Void) throws -> Bool {
    try ifPresent { try ObjectMember.forEach(of: $0, tape, body) } != nil
  }

  /// What is wrong with the value, with its place in front.
  package func refused(_ problem: String) -> any Error {
    JSONDecodingError(path: tape.path(to: value), problem: problem)
  }

  private func ifPresent<Value>(_ read: (Int) throws -> Value) throws -> Value? {
    tape[value].kind == .null ? nil : try read(value)
  }

  fileprivate static func forEach(
    of object: Int, _ tape: TapeReader, _ body: (ObjectMember) throws -> Void
  ) throws {
    guard tape[object].kind == .object else { throw tape.mismatch(object, "an object") }
    var name = object + 1
    while name < tape.end(of: object) {
      try body(ObjectMember(tape, name))
      name = tape.end(of: name + 1)
    }
  }
}

extension JSON {
  /// Reads the members of the object that `bytes` are, in the order in which they stand there. A member that appears twice
  /// is read twice.
  package static func forEachMember(
    of bytes: UnsafeRawBufferPointer, _ body: (ObjectMember) throws -> Void
  ) throws(JSONDecodingError) {
    do {
      try TapeStorage.scanning(bytes) { try ObjectMember.forEach(of: 0, $0, body) }
    } catch {
      throw JSONDecodingError(any: error)
    }
  }
}
