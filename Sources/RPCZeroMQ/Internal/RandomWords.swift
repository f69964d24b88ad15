// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Random numbers that nobody can guess, fetched from the kernel 2 KiB at a time.
struct RandomWords {
  private var words = [UInt64](repeating: 0, count: 256)
  private var used = 256

  mutating func next() -> UInt64 {
    if used == words.count {
      words.withUnsafeMutableBytes { arc4random_buf($0.baseAddress!, $0.count) }
      used = 0
    }
    used += 1
    return words[used - 1]
  }
}
