// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// What a text in params must keep to.
public enum TextRule {
  /// - Parameter lengths: in Unicode scalars.
  /// - Throws: INVALID_PARAMS for a text that is too short, too long, blank where it may not be empty, or that holds
  ///   control characters.
  public static func check(_ text: String, _ field: String, _ lengths: ClosedRange<Int>) throws(RPCError) {
    // Most are plain ASCII, of which a look at the bytes says all.
    let bytes = text.utf8
    let isPlain = lengths.contains(bytes.count) && bytes.allSatisfy { (0x20..<0x7F).contains($0) }
    if isPlain, lengths.lowerBound == 0 || bytes.contains(where: { $0 != 0x20 }) { return }
    let scalars = text.unicodeScalars
    guard lengths.contains(scalars.count) else {
      throw .invalidParams(
        field, "\(scalars.count) characters are not in \(lengths.lowerBound)...\(lengths.upperBound)")
    }
    guard scalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      throw .invalidParams(field, "must not hold control characters")
    }
    guard lengths.lowerBound == 0 || !scalars.allSatisfy(\.properties.isWhitespace) else {
      throw .invalidParams(field, "must not be blank")
    }
  }
}
