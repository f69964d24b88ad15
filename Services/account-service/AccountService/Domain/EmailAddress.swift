// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC

/// An e-mail address, checked for what mail systems deliver to, not for all that RFC 5322 can spell: no quoted local
/// parts, comments or literal addresses. Letters beyond ASCII are allowed (RFC 6531).
enum EmailAddress {
  /// The longest address that SMTP can carry, in bytes (RFC 5321, section 4.5.3.1.3, without the brackets).
  static let byteLimit = 254

  /// The address without white space around it, as it was written.
  /// - Throws: INVALID_PARAMS, which never quotes the address.
  static func checked(_ value: String, _ field: String, locale: String? = nil) throws(RPCError) -> String {
    let address = Text.trimmed(value)
    guard address.utf8.count <= byteLimit else {
      throw invalid(field, locale, "must have at most \(byteLimit) bytes")
    }
    guard let at = address.lastIndex(of: "@") else {
      throw invalid(field, locale, "must be an e-mail address: no @ in it")
    }
    guard isLocalPart(address[..<at]) else {
      throw invalid(field, locale, "must be an e-mail address: the part before @ is not one")
    }
    guard isDomain(address[address.index(after: at)...]) else {
      throw invalid(field, locale, "must be an e-mail address: the part after @ is no domain")
    }
    return address
  }

  private static func invalid(_ field: String, _ locale: String?, _ problem: String) -> RPCError {
    .invalidParams(field, problem, display: PersonText.enterEmail.text(locale))
  }

  /// RFC 5321's dot-string: atoms with single dots between them, at most 64 bytes.
  private static func isLocalPart(_ text: Substring) -> Bool {
    guard (1...64).contains(text.utf8.count) else { return false }
    return text.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { atom in
      !atom.isEmpty
        && atom.allSatisfy { scalar in
          scalar.isASCII
            ? isLetterOrDigit(scalar) || "!#$%&'*+/=?^_`{|}~-".unicodeScalars.contains(scalar) : isWord(scalar)
        }
    }
  }

  /// At least two labels of letters, digits and inner hyphens; the last is not a number.
  static func isDomain(_ text: Substring) -> Bool {
    guard (1...253).contains(text.utf8.count) else { return false }
    let labels = text.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count >= 2, let last = labels.last, !last.allSatisfy({ ("0"..."9").contains($0) }) else {
      return false
    }
    return labels.allSatisfy { label in
      let bytes = label.reduce(0) { $0 + UTF8.width($1) }
      return (1...63).contains(bytes) && label.first != "-" && label.last != "-"
        && label.allSatisfy { $0.isASCII ? isLetterOrDigit($0) || $0 == "-" : isWord($0) }
    }
  }

  private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9": true
    default: false
    }
  }

  /// A letter, mark or digit of any script.
  private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
      .spacingMark, .decimalNumber:
      true
    default: false
    }
  }
}
