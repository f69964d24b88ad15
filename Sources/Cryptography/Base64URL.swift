// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Base 64 with the URL and file name safe alphabet, without padding.
///
/// Source: RFC 4648, section 5.
public enum Base64URL {
  public static func encode(_ bytes: some Collection<UInt8>) -> String {
    String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { buffer in
      var end = 0
      var bits: UInt32 = 0
      var held = 0
      for byte in bytes {
        bits = bits << 8 | UInt32(byte)
        held += 8
        while held >= 6 {
          held -= 6
          buffer[end] = alphabet[Int(bits >> UInt32(held) & 63)]
          end += 1
        }
      }
      if held > 0 {
        buffer[end] = alphabet[Int(bits << UInt32(6 - held) & 63)]
        end += 1
      }
      return end
    }
  }

  /// The bytes that `text` spells. Nil for anything that `encode` would not have written: padding, other characters, an
  /// impossible length, left-over bits that are not zero. So one value has one spelling.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let characters = text.utf8
    guard characters.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(characters.count * 3 / 4)
    var bits: UInt32 = 0
    var held = 0
    for character in characters {
      guard let value = value(character) else { return nil }
      bits = bits << 6 | value
      held += 6
      if held >= 8 {
        held -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
        bits &= 1 << UInt32(held) - 1
      }
    }
    return bits == 0 ? bytes : nil
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  private static func value(_ character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
