// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Threading

/// How long the calls of one method take, by their outcome: a histogram of those that succeed, and one for each error code
/// that was seen. So it counts them by status too, and a call that succeeds costs two atomic additions.
public final class CallDurations: Sendable {
  public let succeeded = Histogram()
  private let failed = Lock<[Int: Histogram]>([:])

  public init() {}

  /// - Parameter code: one of few; whoever records makes one of those that have no name.
  public func recordFailure(code: Int, nanoseconds: UInt64) {
    let histogram = failed.withLock { failed in
      if let known = failed[code] { return known }
      let made = Histogram()
      failed[code] = made
      return made
    }
    histogram.record(nanoseconds: nanoseconds)
  }

  /// Failures that were seen, in the order of their codes.
  public var failures: [(code: Int, histogram: Histogram)] {
    failed.withLock { $0 }.sorted { $0.key > $1.key }.map { ($0.key, $0.value) }
  }

  public var calls: Int { succeeded.count + errors }
  public var errors: Int { failures.reduce(0) { $0 + $1.histogram.count } }

  /// As `Histogram.quantileMicroseconds`, of all calls.
  public func quantileMicroseconds(_ fraction: Double) -> Int? {
    var counts = succeeded.counts
    for failure in failures {
      for (index, count) in failure.histogram.counts.enumerated() { counts[index] += count }
    }
    return Histogram.quantileMicroseconds(fraction, of: counts)
  }
}
