// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CSodium

/// Owns the bytes of a secret in one place that is zeroed when the last reference goes. Immutable after `init`, hence
/// safe to share.
final class SecretBytes: @unchecked Sendable {
  // Unchecked: `storage` is written by `init` alone, and freed by `deinit`, when no one else refers to it.
  private let storage: UnsafeMutableBufferPointer<UInt8>

  init(count: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Void) {
    storage = .allocate(capacity: count)
    storage.initialize(repeating: 0)
    fill(storage.baseAddress!)
  }

  convenience init(_ bytes: [UInt8]) {
    self.init(count: bytes.count) { destination in
      for (index, byte) in bytes.enumerated() { destination[index] = byte }
    }
  }

  deinit {
    sodium_memzero(storage.baseAddress, storage.count)
    storage.deallocate()
  }

  /// The pointer must not leave `body`.
  func withPointer<R>(_ body: (UnsafePointer<UInt8>) throws -> R) rethrows -> R {
    try body(UnsafePointer(storage.baseAddress!))
  }
}
