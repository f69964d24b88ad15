// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SQLStore
internal import Synchronization
internal import Threading

/// Positions in the outbox: the time in microseconds, always a later one than before, and behind it, in three digits, the
/// number of the ledger that wrote. So positions of several ledgers of one store never meet, whatever their clocks say.
///
/// Where several transactions run at once, one with a later position may be committed earlier. A relay must not go past a
/// position that may still come, so writes announce themselves here before they take one.
final class OutboxPositions: Sendable {
  static let ledgers: Int64 = 1_000

  /// Of the ledger, from 0 to 999.
  let number: Int64
  /// As it was counted up.
  private let ordinal: Int64
  private let last: Atomic<Int64>
  /// By ticket: no position at or below this will be taken any more.
  private let doubtful = Atomic<Int64>(0)
  private let floors: Lock<(next: Int, open: [Int: Int64])>?

  /// - Parameters:
  ///   - number: of the ledger, counted up by the store.
  ///   - last: the highest position in the store.
  ///   - isOrdered: whether positions are committed in the order in which they are taken.
  init(number: Int64, after last: Int64, isOrdered: Bool) {
    ordinal = number
    self.number = number % Self.ledgers
    self.last = Atomic(last / Self.ledgers)
    floors = isOrdered ? nil : Lock((0, [:]))
  }

  /// The milliseconds since 1970 of a position.
  static func milliseconds(of position: Int64) -> Int64 { position / (1_000 * ledgers) }

  /// The first position of a moment.
  static func position(of moment: Timestamp) -> Int64 { moment.milliseconds * 1_000 * ledgers }

  /// Whether no ledger has the same three digits that began after this one, nor will soon: asked every second or so, in
  /// which a store's services do not start a hundred times.
  /// - Parameter number: the last that the store counted up.
  func isOwn(lastGiven number: Int64) -> Bool { number < ordinal + Self.ledgers - 100 }

  func next(_ now: Timestamp) -> Int64 {
    var seen = last.load(ordering: .sequentiallyConsistent)
    while true {
      let next = max(seen + 1, now.milliseconds * 1_000)
      let (exchanged, original) = last.weakCompareExchange(
        expected: seen, desired: next, ordering: .sequentiallyConsistent)
      if exchanged { return next * Self.ledgers + number }
      seen = original
    }
  }

  /// A write that may take positions begins.
  /// - Returns: what `end(_:)` wants.
  func begin() -> Int {
    guard let floors else { return 0 }
    return floors.withLock { floors in
      floors.next += 1
      floors.open[floors.next] = reached
      return floors.next
    }
  }

  /// The write is over: its rows are there, or never will be.
  func end(_ ticket: Int) {
    floors?.withLock { floors in _ = floors.open.removeValue(forKey: ticket) }
  }

  /// Every row of this ledger up to here is there, and none will come; nil where rows come in order anyway.
  var settled: Int64? { floors?.withLock { floors in floors.open.values.min() ?? reached } }

  /// A write's outcome is not known: rows of any position that was taken so far may still come.
  func doubt() { doubtful.max(reached, ordering: .sequentiallyConsistent) }

  /// Of this ledger, every row behind it and up to `settled` has been there since that was asked.
  var lastDoubtful: Int64 { doubtful.load(ordering: .sequentiallyConsistent) }

  private var reached: Int64 { last.load(ordering: .sequentiallyConsistent) * Self.ledgers + number }
}
