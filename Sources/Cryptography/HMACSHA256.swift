// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CSodium

/// HMAC with SHA-256, under a key of any length, which is zeroed when the last copy goes.
///
/// Source: RFC 2104, RFC 4231.
public struct HMACSHA256: Sendable {
  private let key: SecretBytes
  private let keyCount: Int

  public init(key: [UInt8]) {
    self.key = SecretBytes(key)
    keyCount = key.count
  }

  public func authenticate(_ message: [UInt8]) -> [UInt8] {
    var state = crypto_auth_hmacsha256_state()
    key.withPointer { _ = crypto_auth_hmacsha256_init(&state, $0, keyCount) }
    crypto_auth_hmacsha256_update(&state, message, UInt64(message.count))
    let code = digest { crypto_auth_hmacsha256_final(&state, $0) }
    sodium_memzero(&state, MemoryLayout.size(ofValue: state))
    return code
  }

  /// Whether `code` is that of `message`; in constant time.
  public func isValid(_ code: [UInt8], for message: [UInt8]) -> Bool {
    ConstantTime.equal(code, authenticate(message))
  }

  public static func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
    HMACSHA256(key: key).authenticate(message)
  }
}
