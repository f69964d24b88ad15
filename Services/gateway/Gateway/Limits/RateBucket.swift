// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// How often something may happen: `burst` times at once after a rest, then `perSecond` times a second.
struct RateBucket {
  /// When it is full again if nothing more comes, in monotonic nanoseconds.
  private var fullAt: UInt64 = 0

  /// Takes `count`, or none.
  /// - Parameters:
  ///   - now: monotonic nanoseconds.
  ///   - perSecond: above 0.
  /// - Returns: nanoseconds until there is room for one; nil: they were taken.
  mutating func take(_ count: Int = 1, at now: UInt64, perSecond: Int, burst: Int) -> UInt64? {
    let interval = 1_000_000_000 / UInt64(perSecond)
    let room = interval * UInt64(max(1, burst) - 1)
    let full = max(fullAt, now)
    if full - now > room { return full - now - room }
    fullAt = full + interval * UInt64(count)
    return nil
  }
}
