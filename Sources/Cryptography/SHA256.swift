// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CSodium

/// SHA-256, whole or piece by piece.
///
/// Source: FIPS 180-4.
public struct SHA256: Sendable {
  /// Bytes of a digest.
  public static let byteCount = 32

  private var state: crypto_hash_sha256_state

  public init() {
    state = crypto_hash_sha256_state()
    crypto_hash_sha256_init(&state)
  }

  public mutating func update(_ bytes: [UInt8]) {
    crypto_hash_sha256_update(&state, bytes, UInt64(bytes.count))
  }

  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    crypto_hash_sha256_update(&state, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, UInt64(bytes.count))
  }

  /// The digest of all that was added. The hash itself can go on: a copy is finished.
  public func finalize() -> [UInt8] {
    var last = state
    return digest { crypto_hash_sha256_final(&last, $0) }
  }

  public static func hash(_ bytes: [UInt8]) -> [UInt8] {
    digest { crypto_hash_sha256($0, bytes, UInt64(bytes.count)) }
  }

  public static func hash(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    digest {
      crypto_hash_sha256($0, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, UInt64(bytes.count))
    }
  }

  /// The digest of the text's UTF-8.
  public static func hash(_ text: String) -> [UInt8] { hash(Array(text.utf8)) }
}

/// 32 bytes that `fill` writes.
@inline(__always)
func digest(_ fill: (UnsafeMutablePointer<UInt8>) -> Void) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: SHA256.byteCount) { buffer, count in
    fill(buffer.baseAddress!)
    count = SHA256.byteCount
  }
}
