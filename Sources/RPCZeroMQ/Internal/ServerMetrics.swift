// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import Logging
internal import Metrics

/// Says that replies were given up, once in a while.
struct LossLog {
  /// Between lines, in milliseconds.
  private static let interval: Int64 = 10_000
  private let logger: Logger?
  private var count = 0
  private var nextLine = Int64.min

  init(_ logger: Logger?) { self.logger = logger }

  /// - Parameter now: monotonic milliseconds.
  mutating func note(_ lost: Int, at now: Int64) {
    count += lost
    guard count > 0, now >= nextLine, let logger else { return }
    logger.warning("replies were given up: their ZeroMQ clients do not read", ["replies": .integer(Int64(count))])
    count = 0
    nextLine = now + LossLog.interval
  }
}

/// What a server counts of its sockets.
struct ServerMetrics: Sendable {
  let repliesDropped: Counter
  let acceptFailures: Counter

  init(_ registry: MetricsRegistry?) {
    func counter(_ name: String, _ help: String) -> Counter { registry?.counter(name, help) ?? Counter() }
    repliesDropped = counter(
      "assent_zeromq_replies_dropped_total", "Replies whose client was gone or too far behind")
    acceptFailures = counter(
      "assent_zeromq_accept_failures_total", "Connections that could not be accepted: descriptors have run out")
  }
}
