// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

extension JSONOutput {
  /// Members come in canonical order, so that equal values have equal text.
  mutating func put(json value: JSONValue) {
    switch value {
    case .null: put("null")
    case .bool(let value): put(value)
    case .integer(let value): put(integer: value)
    case .number(let value): put(number: value)
    case .string(let value): put(string: value)
    case .array(let elements):
      let level = depth
      let inside = open(UInt8(ascii: "["))
      guard !hasFailed else { return }
      for element in elements {
        nextElement(of: inside)
        put(json: element)
      }
      close(to: level)
    case .object(let members):
      let level = depth
      let inside = open(UInt8(ascii: "{"))
      guard !hasFailed else { return }
      for (name, value) in Self.canonicallySorted(members) {
        nextElement(of: inside)
        put(string: name)
        put(UInt8(ascii: ":"))
        put(json: value)
      }
      close(to: level)
    }
  }
}

extension JSONOutput {
  /// The canonical text (RFC 8785) of a value.
  /// - Returns: false for a number that has none; what was written so far is then worth nothing.
  mutating func put(canonical value: JSONValue) -> Bool {
    switch value {
    case .null: put("null")
    case .bool(let value): put(value)
    case .integer(let value):
      guard value.magnitude <= CanonicalWriter.largestInteger.magnitude else { return false }
      put(integer: value)
    case .number(let value):
      guard let integer = Int64(exactly: value) else { return false }
      return put(canonical: .integer(integer))
    case .string(let value): put(string: value)
    case .array(let elements):
      let level = depth
      let inside = open(UInt8(ascii: "["))
      guard !hasFailed else { return true }
      for element in elements {
        nextElement(of: inside)
        guard put(canonical: element) else { return false }
      }
      close(to: level)
    case .object(let members):
      let level = depth
      let inside = open(UInt8(ascii: "{"))
      guard !hasFailed else { return true }
      for (name, value) in Self.canonicallySorted(members) {
        nextElement(of: inside)
        put(string: name)
        put(UInt8(ascii: ":"))
        guard put(canonical: value) else { return false }
      }
      close(to: level)
    }
    return true
  }

  /// By the UTF-16 code units of the names; of ASCII alone these sort as strings do.
  private static func canonicallySorted(_ members: [String: JSONValue]) -> [(key: String, value: JSONValue)] {
    if members.keys.allSatisfy({ $0.utf8.count == $0.utf16.count }) { return members.sorted { $0.key < $1.key } }
    return members.sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
  }
}
