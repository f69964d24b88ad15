// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The monotonic moment at which a caller stops waiting.
public struct Deadline: Sendable, Hashable, Comparable {
  /// Default 5 s, at most 30 s.
  public static let standardMilliseconds = 5_000
  public static let longestMilliseconds = 30_000

  /// Nanoseconds of CLOCK_MONOTONIC.
  public var uptimeNanoseconds: UInt64
  public init(uptimeNanoseconds: UInt64) { self.uptimeNanoseconds = uptimeNanoseconds }

  public static func after(milliseconds: Int) -> Deadline {
    Deadline(uptimeNanoseconds: MonotonicClock.nanoseconds() + UInt64(max(0, milliseconds)) * 1_000_000)
  }
  public static func < (a: Deadline, b: Deadline) -> Bool { a.uptimeNanoseconds < b.uptimeNanoseconds }

  public var isPast: Bool { MonotonicClock.nanoseconds() >= uptimeNanoseconds }
  /// Milliseconds left, rounded up; 0 when past.
  public var remainingMilliseconds: Int {
    let now = MonotonicClock.nanoseconds()
    return now >= uptimeNanoseconds ? 0 : Int((uptimeNanoseconds - now + 999_999) / 1_000_000)
  }
}

/// CLOCK_MONOTONIC.
public enum MonotonicClock {
  public static func nanoseconds() -> UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
  }
  public static func milliseconds() -> Int64 { Int64(nanoseconds() / 1_000_000) }
}
