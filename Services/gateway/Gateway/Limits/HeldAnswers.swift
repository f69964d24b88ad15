// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import RPC
internal import RPCZeroMQ
internal import ZeroMQ

/// Refusals of those who have had more of them than the loop should spend its time on. Each waits its turn and is then
/// told; so whoever floods goes no faster than what it has under way is let go, and costs others next to nothing.
///
/// Used on the socket thread only.
final class HeldAnswers: LoopMember {
  /// How long each waits at least, in milliseconds.
  static let pause: Int64 = 100
  /// Between looks for those whose time has come, in milliseconds.
  private static let interval = 10
  /// At each look so many are told, or one in 128 of those that wait: all at once they would hold up everybody else,
  /// and nobody waits for much longer than a second.
  private static let toldAtOnce = 8
  private static let share = 128

  private struct Held {
    /// In monotonic milliseconds.
    var until: Int64
    var tell: () -> Void
  }
  /// In the order in which their time comes; those before `first` have been told.
  private var waiting: [Held] = []
  private var first = 0
  private let capacity: Int
  private var isOpen = true

  /// - Parameter capacity: how many may wait. One more, and the first of them is told at once.
  init(capacity: Int = 16_384) { self.capacity = capacity }

  var count: Int { waiting.count - first }

  /// - Parameters:
  ///   - now: monotonic milliseconds.
  ///   - tell: called once.
  func hold(at now: Int64, _ tell: @escaping () -> Void) {
    guard isOpen else { return tell() }
    if count >= capacity { tellFirst() }
    waiting.append(Held(until: now + HeldAnswers.pause, tell: tell))
  }

  /// Tells a few of those whose time has come.
  func tellDue(at now: Int64) {
    var rest = max(HeldAnswers.toldAtOnce, count / HeldAnswers.share)
    while rest > 0, count > 0, waiting[first].until <= now {
      tellFirst()
      rest -= 1
    }
  }

  /// Tells everybody, and nobody waits any more.
  func close() {
    isOpen = false
    while count > 0 { tellFirst() }
  }

  private func tellFirst() {
    let tell = waiting[first].tell
    first += 1
    if first >= 64, first * 2 >= waiting.count {
      waiting.removeFirst(first)
      first = 0
    }
    tell()
  }

  // MARK: LoopMember

  func pollItems() -> [PollItem] { [] }
  func nextTimeout() -> Int? { count > 0 ? HeldAnswers.interval : nil }
  func stop() { close() }
  func turn() -> Bool {
    tellDue(at: MonotonicClock.milliseconds())
    return false
  }
}
