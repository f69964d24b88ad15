// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// When a call is tried again, and how long one attempt may take. Times in milliseconds. Pure: whoever asks holds clock and
/// dice.
public struct RetryPolicy: Sendable {
  /// How often a call is repeated at most, so at most one attempt more than that.
  public var limit = 3
  /// However quick the method is, an attempt gets as long as this.
  public var shortestAttempt = 500
  /// An attempt gets so many times as long as 99 of 100 calls of its method take.
  public var latencyFactor = 8
  /// The longest wait before the first repeat; twice as long before each further one.
  public var backoff = 10
  public var longestBackoff = 250
  /// The shortest wait before a second attempt is made beside the first, for methods that ask for it.
  public var shortestHedge = 2

  public init() {}

  /// How long an attempt may take before another replica is tried: `min(remaining / 3, max(shortest, factor × p99))`.
  /// - Parameter remaining: until the call's deadline.
  public func attempt(remaining: Int, p99: Int) -> Int {
    max(1, min(remaining / 3, max(shortestAttempt, latencyFactor * p99)))
  }

  /// How long to wait before a repeat: anything up to twice as long as before the last one, so that callers who failed
  /// together do not come back together.
  /// - Parameters:
  ///   - repetition: 1 before the first repeat.
  ///   - random: any number.
  public func wait(before repetition: Int, random: UInt64) -> Int {
    let longest = min(longestBackoff, backoff << min(max(0, repetition - 1), 16))
    return Int(random % UInt64(longest + 1))
  }

  /// How long to wait for a reply before a second attempt is made beside the first.
  public func hedge(p95: Int) -> Int { max(shortestHedge, p95) }
}
