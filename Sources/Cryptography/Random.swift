// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CSodium

/// Unpredictable bytes, from the kernel's generator.
public enum Random {
  public static func bytes(_ count: Int) -> [UInt8] {
    _ = Sodium.ready
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      if let start = buffer.baseAddress { randombytes_buf(start, count) }
      initialized = count
    }
  }

  /// 256 random bits as 43 characters of base64url: a key or token that cannot be guessed.
  public static func secret() -> String { Base64URL.encode(bytes(32)) }
}
