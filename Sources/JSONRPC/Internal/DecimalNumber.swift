// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// The value of a scanned JSON number.
enum DecimalNumber {
  /// Nil when it does not fit `Integer`, or is no integer at all.
  ///
  /// Any spelling of an integer counts (`1`, `1.0`, `1e2`), as JSON Schema has it, since some clients' libraries write
  /// every number with a fraction. With a fraction or an exponent it must be at most 2^53 in magnitude: there a Double
  /// is exact.
  @inline(__always)
  static func integer<Integer: FixedWidthInteger>(
    _ digits: UnsafeBufferPointer<UInt8>, isInteger: Bool, as type: Integer.Type
  ) -> Integer? {
    guard isInteger else {
      guard let value = double(digits, isInteger: false), value.magnitude <= 0x1p53 else { return nil }
      return Integer(exactly: value)
    }
    let isNegative = digits[0] == UInt8(ascii: "-")
    var value: Integer = 0
    for i in (isNegative ? 1 : 0)..<digits.count {
      let digit = Integer(truncatingIfNeeded: digits[i] &- UInt8(ascii: "0"))
      let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflowAgain) =
        isNegative ? tenfold.subtractingReportingOverflow(digit) : tenfold.addingReportingOverflow(digit)
      guard !overflow, !overflowAgain else { return nil }
      value = sum
    }
    return value
  }

  /// The nearest Double; nil beyond its range.
  static func double(_ digits: UnsafeBufferPointer<UInt8>, isInteger: Bool) -> Double? {
    if isInteger, digits.count <= 15, let exact = integer(digits, isInteger: true, as: Int64.self) {
      return exact == 0 && digits[0] == UInt8(ascii: "-") ? -0.0 : Double(exact)
    }
    // The standard library's parser rounds correctly and knows no locale.
    guard let value = Double(String(decoding: digits, as: UTF8.self)), value.isFinite else { return nil }
    return value
  }
}
