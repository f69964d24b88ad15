// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// JSON laid out for people: two spaces a level, empty containers closed at once. Values stay as they are.
enum PrettyJSON {
  /// - Parameter json: one valid JSON value.
  static func text(_ json: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(json.count * 3 / 2)
    var depth = 0
    var isText = false
    var isEscaped = false
    var opened: UInt8?
    for byte in json {
      if isText {
        text.append(byte)
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isText = false
        }
        continue
      }
      if [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains(byte) { continue }
      let closes = byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
      if closes { depth -= 1 }
      if closes ? opened == nil : opened != nil { text += newLine(depth) }
      opened = nil
      text.append(byte)
      switch byte {
      case UInt8(ascii: "\""): isText = true
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        opened = byte
      case UInt8(ascii: ","): text += newLine(depth)
      case UInt8(ascii: ":"): text.append(UInt8(ascii: " "))
      default: break
      }
    }
    return text
  }

  private static func newLine(_ depth: Int) -> [UInt8] {
    [UInt8(ascii: "\n")] + [UInt8](repeating: UInt8(ascii: " "), count: 2 * max(0, depth))
  }
}
