// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Which content types a call may have: `application/json`, `application/json-rpc`, or none, as some clients send it.
enum ContentType {
  /// As nearly every client writes it.
  private static let plain: StaticString = "application/json"

  static func isJSON(_ value: UnsafeRawBufferPointer?) -> Bool {
    guard let value else { return true }
    if value.count == plain.utf8CodeUnitCount, memcmp(value.baseAddress!, plain.utf8Start, value.count) == 0 {
      return true
    }
    // Parameters such as charset do not matter: JSON is UTF-8.
    let type = value.prefix { $0 != UInt8(ascii: ";") }.reversed().drop { isSpace($0) }.reversed().drop { isSpace($0) }
    return type.isEmpty || matches(type, "application/json") || matches(type, "application/json-rpc")
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func matches(_ bytes: some Sequence<UInt8>, _ type: StaticString) -> Bool {
    let expected = UnsafeBufferPointer(start: type.utf8Start, count: type.utf8CodeUnitCount)
    return bytes.elementsEqual(expected) { lowercased($0) == $1 }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 32 : byte
  }
}
