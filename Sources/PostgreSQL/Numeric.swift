// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// `numeric` in its binary format (`numeric_send`): count of digits, weight of the first, sign, scale, and digits to the
/// base 10000. Sums of integers are numerics.
enum Numeric {
  static func value(_ bytes: UnsafeRawBufferPointer) -> QueryResult.Value {
    func word(_ index: Int) -> Int {
      Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self)))
    }
    let count = word(0)
    let weight = Int(Int16(truncatingIfNeeded: word(1)))
    let sign = word(2)
    guard sign == 0 || sign == 0x4000 else { return .real(.nan) }
    let digits = (0..<count).map { word(4 + $0) }
    if count <= weight + 1, let whole = whole(digits, weight) { return .integer(sign == 0 ? whole : -whole) }
    var real = 0.0
    for (index, digit) in digits.enumerated() { real += Double(digit) * power(weight - index) }
    return .real(sign == 0 ? real : -real)
  }

  /// Nil when it is more than an `Int64` holds.
  private static func whole(_ digits: [Int], _ weight: Int) -> Int64? {
    var value: Int64 = 0
    for place in 0..<max(0, weight + 1) {
      let (shifted, overflow) = value.multipliedReportingOverflow(by: 10_000)
      let (sum, carry) = shifted.addingReportingOverflow(place < digits.count ? Int64(digits[place]) : 0)
      if overflow || carry { return nil }
      value = sum
    }
    return value
  }

  private static func power(_ exponent: Int) -> Double {
    var result = 1.0
    for _ in 0..<abs(exponent) { result *= 10_000 }
    return exponent < 0 ? 1 / result : result
  }
}
