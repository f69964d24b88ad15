// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CSodium

/// Signatures on edwards25519.
///
/// Source: RFC 8032, section 5.1.
public enum Ed25519 {
  public static let seedByteCount = 32
  public static let publicKeyByteCount = 32
  public static let signatureByteCount = 64

  /// A private key, zeroed when the last copy goes.
  public struct SigningKey: Sendable {
    /// Seed and public key, as libsodium wants them.
    private let secret: SecretBytes
    public let publicKey: PublicKey

    /// - Parameter seed: RFC 8032's 32-byte private key.
    /// - Throws: `CryptographyError` when it is not 32 bytes.
    public init(seed: [UInt8]) throws(CryptographyError) {
      guard seed.count == Ed25519.seedByteCount else {
        throw .keyLength("an Ed25519 seed", expected: Ed25519.seedByteCount, got: seed.count)
      }
      _ = Sodium.ready
      var publicBytes = [UInt8](repeating: 0, count: Ed25519.publicKeyByteCount)
      secret = SecretBytes(count: Int(crypto_sign_SECRETKEYBYTES)) {
        _ = crypto_sign_seed_keypair(&publicBytes, $0, seed)
      }
      publicKey = PublicKey(verified: publicBytes)
    }

    /// A new key, with the seed to keep of it.
    public static func generate() -> (key: SigningKey, seed: [UInt8]) {
      let seed = Random.bytes(Ed25519.seedByteCount)
      return (try! SigningKey(seed: seed), seed)
    }

    public func sign(_ message: [UInt8]) -> [UInt8] {
      [UInt8](unsafeUninitializedCapacity: Ed25519.signatureByteCount) { buffer, count in
        secret.withPointer {
          _ = crypto_sign_detached(buffer.baseAddress!, nil, message, UInt64(message.count), $0)
        }
        count = Ed25519.signatureByteCount
      }
    }
  }

  public struct PublicKey: Sendable, Hashable {
    public let bytes: [UInt8]

    /// - Throws: `CryptographyError` when they are not 32 bytes.
    public init(bytes: [UInt8]) throws(CryptographyError) {
      guard bytes.count == Ed25519.publicKeyByteCount else {
        throw .keyLength("an Ed25519 public key", expected: Ed25519.publicKeyByteCount, got: bytes.count)
      }
      self.bytes = bytes
    }

    fileprivate init(verified bytes: [UInt8]) { self.bytes = bytes }

    /// Whether `signature` is this key's over `message`. False for keys of small order and for signatures that are not
    /// in canonical form, as libsodium checks.
    public func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
      guard signature.count == Ed25519.signatureByteCount else { return false }
      return crypto_sign_verify_detached(signature, message, UInt64(message.count), bytes) == 0
    }
  }
}
