// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Text that carries its own signature: `prefix.payload.signature`, payload and Ed25519 signature in base64url, the
/// signature over everything before the second dot. The prefix says what the text is for, so that one purpose's text is
/// refused for another; no part of it chooses an algorithm.
public struct SignedText: Sendable {
  /// What was signed. Not to be believed before `isSigned(by:)` has said yes; it may be read for the key's name.
  public let payload: [UInt8]
  private let signedPart: [UInt8]
  private let signature: [UInt8]

  /// Nil unless `text` has this form and exactly one spelling.
  public init?(_ text: String, prefix: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].elementsEqual(prefix.utf8),
      let payload = Base64URL.decode(Substring(parts[1])),
      let signature = Base64URL.decode(Substring(parts[2])), signature.count == Ed25519.signatureByteCount
    else { return nil }
    self.payload = payload
    self.signature = signature
    signedPart = Array(text.utf8[..<parts[1].endIndex])
  }

  public func isSigned(by key: Ed25519.PublicKey) -> Bool { key.isValid(signature, for: signedPart) }

  public static func sign(_ payload: [UInt8], prefix: String, with key: Ed25519.SigningKey) -> String {
    let signedPart = "\(prefix).\(Base64URL.encode(payload))"
    return "\(signedPart).\(Base64URL.encode(key.sign(Array(signedPart.utf8))))"
  }
}
