// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// 64 bits as 16 lower-case hexadecimal digits, eight at a time: every call has a trace to read and one to write.
enum HexWord {
  /// - Returns: nil unless all 16 are digits.
  @inline(__always)
  static func read(_ text: UnsafeRawBufferPointer, at offset: Int) -> UInt64? {
    guard let high = half(text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)),
      let low = half(text.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
    else { return nil }
    return high << 32 | low
  }

  /// Two digits.
  static func byte(_ text: UnsafeRawBufferPointer, at offset: Int) -> UInt8? {
    guard let high = digit(text[offset]), let low = digit(text[offset + 1]) else { return nil }
    return high << 4 | low
  }

  static func write(_ word: UInt64, to text: UnsafeMutableRawBufferPointer, at offset: Int) {
    text.storeBytes(of: digits(word >> 32), toByteOffset: offset, as: UInt64.self)
    text.storeBytes(of: digits(word & 0xffff_ffff), toByteOffset: offset + 8, as: UInt64.self)
  }

  static func text(_ word: UInt64) -> String {
    String(unsafeUninitializedCapacity: 16) {
      write(word, to: UnsafeMutableRawBufferPointer($0), at: 0)
      return 16
    }
  }

  private static let ones: UInt64 = 0x0101_0101_0101_0101

  /// Eight digits' 32 bits.
  @inline(__always)
  private static func half(_ text: UInt64) -> UInt64? {
    // One in each byte that is a letter.
    let letters = (text >> 6) & ones
    let base = ones &* 0x30 &+ letters &* 0x30
    let low = text & (ones &* 0x0f)
    // Figures have 0 to 9 in their lower half, letters 1 to 6.
    let tooHigh = (low &+ ones &* 6 &+ letters &* 3) & (ones &* 0x10)
    let isAboveZero = (low &+ ones &* 0x0f) & (ones &* 0x10)
    guard (text ^ base) & (ones &* 0xf0) == 0, tooHigh == 0, (letters << 4) & ~isAboveZero == 0 else { return nil }
    var value = (low &+ letters &* 9).bigEndian
    value = (value | value >> 4) & 0x00ff_00ff_00ff_00ff
    value = (value | value >> 8) & 0x0000_ffff_0000_ffff
    return (value | value >> 16) & 0xffff_ffff
  }

  @inline(__always)
  private static func digits(_ half: UInt64) -> UInt64 {
    var value = (half | half << 16) & 0x0000_ffff_0000_ffff
    value = (value | value << 8) & 0x00ff_00ff_00ff_00ff
    value = (value | value << 4) & (ones &* 0x0f)
    let letters = ((value &+ ones &* 6) >> 4) & ones
    return (value &+ ones &* 0x30 &+ letters &* 0x27).bigEndian
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
