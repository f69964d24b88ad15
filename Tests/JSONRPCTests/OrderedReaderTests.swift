// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import JSONRPC

@Suite struct OrderedReaderTests {
  private func reading<R>(_ text: String, _ body: (inout OrderedReader) throws -> R) rethrows -> R {
    try Array(text.utf8).withUnsafeBytes { bytes in
      var reader = OrderedReader(bytes)
      return try body(&reader)
    }
  }

  @Test(
    arguments: [
      ("0", 0), ("7,", 7), ("-1}", -1), ("123456789012345678", 123_456_789_012_345_678), ("-0", 0),
      // What JSON does not know, or this does not.
      ("", nil), ("-", nil), ("x", nil), ("01", nil), ("-01", nil), ("1234567890123456789", nil), ("+1", nil),
    ] as [(String, Int64?)])
  func `integers are read as JSON has them`(_ text: String, _ value: Int64?) {
    #expect(reading(text) { $0.integer() } == value)
  }

  @Test(arguments: [
    (#"abc""#, "abc"), (#"""#, ""), (#"a b~""#, "a b~"), (#"a\"b""#, nil), ("abc", nil), ("", nil), ("a\u{1}\"", nil),
    ("\u{e9}\"", nil), ("\u{7f}\"", nil),
  ])
  func `text is read up to its quote if it is plain`(_ text: String, _ value: String?) {
    #expect(reading(text) { $0.text().map { String(decoding: $0, as: UTF8.self) } } == value)
  }

  @Test(arguments: [UInt8(0), 1, 0x1f, 0x5c, 0x7f, 0x80, 0xc3, 0xff], Array(1...20))
  func `one byte that is not plain is seen wherever it stands`(_ byte: UInt8, _ count: Int) {
    for place in 0..<count {
      var text = [UInt8](repeating: UInt8(ascii: "~"), count: count) + [UInt8(ascii: "\"")]
      text.withUnsafeBytes { bytes in
        var reader = OrderedReader(bytes)
        #expect(reader.text()?.count == count)
      }
      text[place] = byte
      text.withUnsafeBytes { bytes in
        var reader = OrderedReader(bytes)
        #expect(reader.text() == nil)
      }
    }
  }

  @Test func `all that is plain is read`() {
    let plain = (UInt8(0x20)...0x7e).filter { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    for start in 0..<8 {
      let text = Array(plain.dropFirst(start))
      (text + [UInt8(ascii: "\"")]).withUnsafeBytes { bytes in
        var reader = OrderedReader(bytes)
        #expect(reader.text().map(Array.init) == text)
      }
    }
  }

  @Test func `what was not read stays`() {
    let nested = reading(#"{"a":{"b":[1]},"c":2}"#) { reader in
      [
        reader.skip(#"{"b":"#), reader.skip(#"{"a":"#),
        reader.flatObject().map { String(decoding: $0, as: UTF8.self) } == #"{"b":[1]}"#,
        reader.skip(#","c":"#), reader.integer() == 2, reader.skip("}"), reader.isAtEnd,
      ]
    }
    #expect(nested == [false, true, true, true, true, true, true])
    let short = reading("x1") { reader in
      [
        reader.integer() == nil, reader.text() == nil, reader.flatObject() == nil, reader.skip("x1"), reader.isAtEnd,
        reader.skip("x"),
      ]
    }
    #expect(short == [true, true, true, true, true, false])
  }
}
