// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Z85: four bytes as five printable characters, none of which is a quote, a backslash or a space.
///
/// Source: ZeroMQ RFC 32.
enum Z85 {
  private static let alphabet = Array(
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#".utf8)

  private static let values: [UInt8: UInt64] = Dictionary(
    uniqueKeysWithValues: alphabet.enumerated().map { ($0.element, UInt64($0.offset)) })

  /// - Precondition: the number of bytes is a multiple of four.
  static func encode(_ bytes: [UInt8]) -> String {
    precondition(bytes.count % 4 == 0)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 4) {
      let word = bytes[start..<start + 4].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      var divisor: UInt64 = 85 * 85 * 85 * 85
      while divisor > 0 {
        text.append(alphabet[Int(word / divisor % 85)])
        divisor /= 85
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Nil when the text is no Z85: of another length, with other characters, or with a group above 2^32 - 1.
  static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let characters = Array(text.utf8)
    guard characters.count % 5 == 0 else { return nil }
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: characters.count, by: 5) {
      var word: UInt64 = 0
      for character in characters[start..<start + 5] {
        guard let value = values[character] else { return nil }
        word = word * 85 + value
      }
      guard let whole = UInt32(exactly: word) else { return nil }
      withUnsafeBytes(of: whole.bigEndian) { bytes += $0 }
    }
    return bytes
  }
}
