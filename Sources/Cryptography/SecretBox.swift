// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CSodium

/// Authenticated encryption under one 256-bit key: XChaCha20-Poly1305. A box is `nonce (24) ‖ ciphertext ‖ tag (16)`; its
/// nonce is random, which 192 bits allow for as many boxes as one likes.
///
/// Source: draft-irtf-cfrg-xchacha-03; RFC 8439.
public struct SecretBox: Sendable {
  public static let keyByteCount = 32
  private static let nonceByteCount = Int(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES)
  private static let tagByteCount = Int(crypto_aead_xchacha20poly1305_ietf_ABYTES)
  /// How much longer a box is than what it holds.
  public static let overhead = nonceByteCount + tagByteCount

  private let key: SecretBytes

  /// - Throws: `CryptographyError` when the key is not 32 bytes.
  public init(key: [UInt8]) throws(CryptographyError) {
    guard key.count == Self.keyByteCount else {
      throw .keyLength("a secret box's key", expected: Self.keyByteCount, got: key.count)
    }
    self.key = SecretBytes(key)
  }

  /// - Parameters:
  ///   - associatedData: what the box belongs to (a row's key, say). Not stored in it; `open` must be given the same, so
  ///     that a box moved elsewhere does not open.
  ///   - random: gives that many bytes that nobody can predict and that nobody gets again.
  public func seal(
    _ contents: [UInt8], associatedData: [UInt8] = [], random: (Int) -> [UInt8] = Random.bytes
  ) -> [UInt8] {
    seal(contents, associatedData: associatedData, nonce: random(Self.nonceByteCount))
  }

  /// With the nonce given: for the published test vectors alone.
  func seal(_ contents: [UInt8], associatedData: [UInt8], nonce: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: contents.count + Self.overhead) { buffer, count in
      for (index, byte) in nonce.enumerated() { buffer[index] = byte }
      key.withPointer {
        _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
          buffer.baseAddress! + Self.nonceByteCount, nil, contents, UInt64(contents.count), associatedData,
          UInt64(associatedData.count), nil, nonce, $0)
      }
      count = contents.count + Self.overhead
    }
  }

  /// - Throws: `CryptographyError.corrupt`.
  public func open(_ box: [UInt8], associatedData: [UInt8] = []) throws(CryptographyError) -> [UInt8] {
    guard box.count >= Self.overhead else { throw .corrupt }
    var opened = false
    let contents = box.withUnsafeBufferPointer { box in
      [UInt8](unsafeUninitializedCapacity: box.count - Self.overhead) { buffer, count in
        let code = key.withPointer {
          crypto_aead_xchacha20poly1305_ietf_decrypt(
            buffer.baseAddress, nil, nil, box.baseAddress! + Self.nonceByteCount,
            UInt64(box.count - Self.nonceByteCount), associatedData, UInt64(associatedData.count), box.baseAddress!, $0)
        }
        opened = code == 0
        count = opened ? box.count - Self.overhead : 0
      }
    }
    guard opened else { throw .corrupt }
    return contents
  }
}
