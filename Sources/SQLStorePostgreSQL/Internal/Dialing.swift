// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// When the next try to connect may begin, of the places of one role. Pure; times are monotonic milliseconds.
///
/// Tries follow one another. While the last one is neither refused nor done, another is begun beside it: a server that was
/// away may be back while an earlier try still waits for a name's address, or for an answer from where nobody is any more.
struct Dialing {
  /// Until another try is begun beside one that hangs.
  static let patience: Int64 = 500
  /// At once; those that hang end by themselves, within seconds.
  static let most = 12
  /// Between tries, at most.
  static let longestRest: Int64 = 500

  private var underWay = 0
  private var failures = 0
  private var restsUntil = Int64.min
  /// The last try that was begun; its number is told with what becomes of it.
  private var last = (number: 0, began: Int64.min, isOver: true)

  /// - Returns: the number of the try that is to be made now, if there is one.
  mutating func begin(at now: Int64) -> Int? {
    guard underWay < Self.most, now >= restsUntil, last.isOver || now - last.began >= Self.patience else { return nil }
    underWay += 1
    last = (last.number + 1, now, false)
    return last.number
  }

  mutating func succeeded(_ number: Int) {
    end(number)
    failures = 0
    restsUntil = .min
  }

  /// The next try comes later and later, with jitter so that replicas do not come at once. The first comes at once: a
  /// server that was restarted is often there again.
  mutating func failed(_ number: Int, at now: Int64) {
    end(number)
    let step = min(Self.longestRest, failures == 0 ? 0 : 20 << Int64(min(failures, 6)))
    failures += 1
    restsUntil = now + (step == 0 ? 0 : Int64.random(in: step / 2...step))
  }

  private mutating func end(_ number: Int) {
    underWay -= 1
    if number == last.number { last.isOver = true }
  }
}
