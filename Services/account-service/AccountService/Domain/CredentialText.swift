// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography

/// How keys are spelled. Each names its app, so that every look-up begins with it, and its kind, so that scanners for
/// leaked secrets find it.
enum CredentialText {
  /// A service key: 256 random bits. Secret.
  static func serviceKey(app: String) -> String { "assent_sk.\(app).\(Random.secret())" }

  /// A publishable key. Not secret, but not guessable either.
  static func publishableKey(app: String) -> String { "assent_pk.\(app).\(Base64URL.encode(Random.bytes(16)))" }

  /// The app that a publishable key names; nil when it has not that form.
  static func app(ofPublishableKey key: String) -> String? {
    let parts = key.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "assent_pk", AppID.isValid(parts[1]) else { return nil }
    return String(parts[1])
  }
}

/// The name of an app.
enum AppID {
  static let rule = "must be 1 to 32 of a-z 0-9 -, beginning with a letter or digit"

  static func isValid(_ text: some StringProtocol) -> Bool {
    (1...32).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: "-")
      && text.utf8.allSatisfy {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || $0 == UInt8(ascii: "-")
      }
  }
}
