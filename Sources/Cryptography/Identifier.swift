// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Threading

/// Identifiers for entries, sessions, devices and the like: 26 characters of lower-case base 32 that hold a time in
/// milliseconds (48 bits) and 80 random bits, so that they sort by time as text and never meet.
///
/// They are names, not secrets: what must not be guessed is `Random.secret()`.
public enum Identifier {
  /// - Parameter milliseconds: since 1970, UTC.
  public static func next(milliseconds: Int64) -> String {
    stock.withLock { $0.take(10) }.withUnsafeBufferPointer { spell(milliseconds: milliseconds, random: $0) }
  }

  /// Names may come from a stock, unlike secrets: a copy of this process, which none of ours makes, would repeat some.
  private static let stock = Lock(RandomStock())

  /// The time that an identifier holds; nil for what is none.
  public static func milliseconds(of identifier: String) -> Int64? {
    guard identifier.utf8.count == 26 else { return nil }
    var time: Int64 = 0
    for character in identifier.utf8.prefix(10) {
      guard let digit = alphabet.firstIndex(of: character) else { return nil }
      time = time << 5 | Int64(digit)
    }
    return time
  }

  /// The identifier's 128 bits as a UUID is written (RFC 9562, section 4); nil for what is none.
  public static func uuid(of identifier: String) -> String? {
    guard identifier.utf8.count == 26 else { return nil }
    var (high, low): (UInt64, UInt64) = (0, 0)
    for character in identifier.utf8 {
      guard let digit = alphabet.firstIndex(of: character), high >> 59 == 0 else { return nil }
      high = high << 5 | low >> 59
      low = low << 5 | UInt64(digit)
    }
    let digits = Hex.encode(bytes(of: high) + bytes(of: low))
    var rest = digits[...]
    let groups = [8, 4, 4, 4, 12].map { count in
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
    return groups.joined(separator: "-")
  }

  private static func bytes(of word: UInt64) -> [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
  }

  /// 128 bits in 26 characters of 5 bits: the first stands for three bits alone.
  static func spell(milliseconds: Int64, random: UnsafeBufferPointer<UInt8>) -> String {
    var high = UInt64(bitPattern: milliseconds) << 16 | UInt64(random[0]) << 8 | UInt64(random[1])
    var low: UInt64 = 0
    for index in 2..<10 { low = low << 8 | UInt64(random[index]) }
    return String(unsafeUninitializedCapacity: 26) { buffer in
      for index in stride(from: 25, through: 0, by: -1) {
        buffer[index] = alphabet[Int(low & 31)]
        low = low >> 5 | high << 59
        high >>= 5
      }
      return 26
    }
  }

  /// Without i, l, o and u, in the order of ASCII.
  private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
}
