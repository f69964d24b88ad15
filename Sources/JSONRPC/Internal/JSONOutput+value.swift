// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

extension JSONOutput {
  /// Members come in the order of their names, so that equal values have equal text.
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
      for (name, value) in members.sorted(by: { $0.key < $1.key }) {
        nextElement(of: inside)
        put(string: name)
        put(UInt8(ascii: ":"))
        put(json: value)
      }
      close(to: level)
    }
  }
}
