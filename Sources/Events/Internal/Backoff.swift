// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// How long to wait before the next try: doubles up to a limit, with jitter, so that many who wait do not come at once.
struct Backoff: Sendable {
  private let first: Int
  private let most: Int
  private(set) var tries = 0

  /// In milliseconds.
  init(first: Int, most: Int) {
    self.first = first
    self.most = most
  }

  var isFresh: Bool { tries == 0 }

  /// Milliseconds: between half of the step and the whole.
  mutating func next() -> Int {
    let step = min(most, first << min(tries, 20))
    tries += 1
    return Int.random(in: step / 2...step)
  }

  mutating func reset() { tries = 0 }
}
