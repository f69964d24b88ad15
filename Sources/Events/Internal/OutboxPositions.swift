// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import Synchronization

/// Positions in the outbox: the time in microseconds, and always higher than the one before. Taken inside the
/// transaction, so on a store with one writer they are in commit order.
final class OutboxPositions: Sendable {
  private let last: Atomic<Int64>

  init(after last: Int64) { self.last = Atomic(last) }

  func next(_ now: Timestamp) -> Int64 {
    var seen = last.load(ordering: .relaxed)
    while true {
      let next = max(seen + 1, now.milliseconds * 1000)
      let (exchanged, original) = last.weakCompareExchange(expected: seen, desired: next, ordering: .relaxed)
      if exchanged { return next }
      seen = original
    }
  }
}
