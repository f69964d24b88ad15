// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// What a text in params must keep to.
public enum TextRule {
  /// - Parameter lengths: in Unicode scalars.
  /// - Throws: INVALID_PARAMS for a text that is too short, too long, blank where it may not be empty, or that holds what
  ///   `isDisguise` says.
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
    guard !scalars.contains(where: isDisguise) else {
      throw .invalidParams(field, "must not hold control characters, line breaks or text direction controls")
    }
    guard lengths.lowerBound == 0 || !isBlank(text) else { throw .invalidParams(field, "must not be blank") }
  }

  /// Whether a reader would see nothing: white space, what is invisible, and marks without a character to stand on.
  public static func isBlank(_ text: String) -> Bool { !text.unicodeScalars.contains(where: isVisible) }

  /// Whether the scalar can make a line of text end, or read as another: control characters, separators of lines and
  /// paragraphs, and what embeds, overrides or isolates a direction (Unicode Standard Annex 9, section 2).
  public static func isDisguise(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x202A...0x202E, 0x2066...0x2069: return true
    case 0x20...0x7E: return false
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return true
    default: return false
    }
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    // The braille pattern without dots is a symbol by its category, and blank.
    guard scalar.value != 0x2800, !scalar.properties.isWhitespace, !scalar.properties.isDefaultIgnorableCodePoint else {
      return false
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .nonspacingMark, .spacingMark,
      .enclosingMark:
      return false
    default: return true
    }
  }
}
