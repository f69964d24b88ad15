// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Why a cryptographic operation was refused. Says nothing about keys or contents.
public struct CryptographyError: Error, Sendable, Hashable, CustomStringConvertible {
  private enum Code: String, Sendable { case keyLength, corrupt }
  private let code: Code
  public let description: String

  private init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  /// A key of the wrong length.
  static func keyLength(_ what: String, expected: Int, got: Int) -> CryptographyError {
    CryptographyError(.keyLength, "\(what) has \(got) bytes instead of \(expected)")
  }
  /// A sealed box that was changed, cut short, or sealed under another key or for other associated data.
  public static let corrupt = CryptographyError(.corrupt, "the sealed box cannot be opened with this key")
}
