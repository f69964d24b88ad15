// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import JSONRPC
internal import Threading

/// The time of day, passed in so that tests decide what it is.
public protocol WallClock: Sendable {
  func now() -> Timestamp
}

/// The machine's clock.
public struct SystemClock: WallClock {
  public init() {}
  public func now() -> Timestamp {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Timestamp(milliseconds: Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000)
  }
}
