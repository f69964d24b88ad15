// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CSodium

/// SHA-256, whole or piece by piece.
///
/// Source: FIPS 180-4.
public struct SHA256: Sendable {
  /// Bytes of a digest.
  public static let byteCount = 32
  /// Whether the processor hashes by itself; else libsodium does.
  private static let isInProcessor = assent_has_sha256() != 0

  private var state: crypto_hash_sha256_state

  public init() {
    state = crypto_hash_sha256_state()
    crypto_hash_sha256_init(&state)
  }

  public mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
    if Self.isInProcessor {
      assent_sha256_update(&state, start, bytes.count)
    } else {
      crypto_hash_sha256_update(&state, start, UInt64(bytes.count))
    }
  }

  /// The digest of all that was added. The hash itself can go on: a copy is finished.
  public func finalize() -> [UInt8] {
    var last = state
    return digest { digest in
      if Self.isInProcessor {
        assent_sha256_final(&last, digest)
      } else {
        crypto_hash_sha256_final(&last, digest)
      }
    }
  }

  public static func hash(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { hash($0) } }

  public static func hash(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finalize()
  }

  /// The digest of the text's UTF-8.
  public static func hash(_ text: String) -> [UInt8] {
    var text = text
    return text.withUTF8 { hash(UnsafeRawBufferPointer($0)) }
  }
}

/// 32 bytes that `fill` writes.
@inline(__always)
func digest(_ fill: (UnsafeMutablePointer<UInt8>) -> Void) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: SHA256.byteCount) { buffer, count in
    fill(buffer.baseAddress!)
    count = SHA256.byteCount
  }
}
