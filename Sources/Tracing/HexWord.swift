// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// 64 bits as 16 lower-case hexadecimal digits, eight at a time: every call has a trace to read and one to write.
enum HexWord {
  /// - Parameter faults: not 0 afterwards unless all 16 are digits.
  @inline(__always)
  static func read(_ text: UnsafeRawPointer, at offset: Int, _ faults: inout UInt64) -> UInt64 {
    let high = half(text.loadUnaligned(fromByteOffset: offset, as: UInt64.self), &faults)
    let low = half(text.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self), &faults)
    return high << 32 | low
  }

  /// Two digits.
  @inline(__always)
  static func byte(_ text: UnsafeRawPointer, at offset: Int, _ faults: inout UInt64) -> UInt8 {
    let digits = UInt64(text.loadUnaligned(fromByteOffset: offset, as: UInt16.self).littleEndian)
    // In front six zeros.
    return UInt8(truncatingIfNeeded: half((digits << 48 | 0x3030_3030_3030).littleEndian, &faults))
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
  private static func half(_ text: UInt64, _ faults: inout UInt64) -> UInt64 {
    // One in each byte that is a letter.
    let letters = (text >> 6) & ones
    let base = ones &* 0x30 &+ letters &* 0x30
    let low = text & (ones &* 0x0f)
    // Figures have 0 to 9 in their lower half, letters 1 to 6.
    let tooHigh = (low &+ ones &* 6 &+ letters &* 3) & (ones &* 0x10)
    let isAboveZero = (low &+ ones &* 0x0f) & (ones &* 0x10)
    faults |= (text ^ base) & (ones &* 0xf0) | tooHigh | (letters << 4) & ~isAboveZero
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
}
