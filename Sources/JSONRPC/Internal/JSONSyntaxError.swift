// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Why bytes are not JSON as RFC 8259 has it, or are more than is taken.
struct JSONSyntaxError: Error, Equatable {
  enum Kind: Equatable {
    case unexpectedByte, endOfInput, invalidUTF8, invalidEscape, invalidNumber, trailingBytes
    /// These two may well be JSON.
    case tooDeep, tooLarge
  }
  let kind: Kind
  /// In bytes from the start.
  let offset: Int

  init(_ kind: Kind, _ offset: Int) {
    self.kind = kind
    self.offset = offset
  }

  /// For developers. Says nothing of the text itself.
  var explanation: String {
    switch kind {
    case .unexpectedByte: "unexpected byte at offset \(offset)"
    case .endOfInput: "the text ends too early"
    case .invalidUTF8: "no valid UTF-8 at offset \(offset)"
    case .invalidEscape: "no valid escape at offset \(offset)"
    case .invalidNumber: "no valid number at offset \(offset)"
    case .trailingBytes: "more text after the value, at offset \(offset)"
    case .tooDeep: "nested deeper than \(JSONScanner.deepest), at offset \(offset)"
    case .tooLarge: "larger than \(JSONScanner.largest) bytes"
    }
  }
}
