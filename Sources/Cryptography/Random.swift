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

/// Unpredictable bytes for what needs many small helpings, drawn from the kernel some at a time, since each time is a
/// system call. For secrets not to be kept beyond a piece of work: a copy of the process would give them again.
public struct RandomStock: ~Copyable {
  private static let drawn = 2_048

  private var bytes: [UInt8] = []
  private var next = 0

  public init() {}

  /// - Returns: bytes that are never given again.
  public mutating func take(_ count: Int) -> [UInt8] {
    if bytes.count - next < count {
      bytes = Random.bytes(max(count, Self.drawn))
      next = 0
    }
    defer { next += count }
    return Array(bytes[next..<next + count])
  }
}
