// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import JSONRPC
internal import SettingsContracts

/// The keys that tokens are made with. The first signs; the others are still believed, so that a key can be replaced
/// while tokens of the one before are out.
struct SigningKeys: Sendable {
  struct Key: Sendable {
    /// Names the key in tokens: the beginning of its public key's hash.
    let kid: String
    let signing: Ed25519.SigningKey
    /// Makes refresh tokens. Derived from the same seed, for another purpose.
    let refresh: HMACSHA256

    /// - Throws: `CryptographyError` unless the seed is 32 bytes.
    init(seed: [UInt8]) throws(CryptographyError) {
      signing = try Ed25519.SigningKey(seed: seed)
      kid = String(Base64URL.encode(SHA256.hash(signing.publicKey.bytes)).prefix(12))
      refresh = HMACSHA256(key: HMACSHA256.authenticate(Array("assent refresh tokens, version 1".utf8), key: seed))
    }
  }

  let keys: [Key]

  /// - Precondition: there is one.
  init(_ keys: [Key]) {
    precondition(!keys.isEmpty, "no signing key")
    self.keys = keys
  }

  var current: Key { keys[0] }

  func key(_ kid: String) -> Key? { keys.first { $0.kid == kid } }

  var publicKeys: [AuthPublicKey] {
    keys.map { AuthPublicKey(kid: $0.kid, publicKey: Base64URL.encode($0.signing.publicKey.bytes)) }
  }
}
