// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Counters since the store was opened.
public struct SQLStoreStatistics: Sendable, Hashable {
  /// Durable commits. `writes / commits` is how many writers shared one.
  public var commits: Int = 0
  /// Writes whose outcome was a commit.
  public var writes: Int = 0
  /// Writes that rolled back: refusals and failures.
  public var rollbacks: Int = 0
  public var largestGroup: Int = 0
  /// Groups of at most 1, 2, 4 and so on up to 512 writes, and of more.
  public var groups = [Int](repeating: 0, count: 11)
  /// Writes that are not committed yet, or still wait for a connection.
  public var waiting: Int = 0
  /// Calls of `read`.
  public var reads: Int = 0
  /// Read transactions these took.
  public var snapshots: Int = 0

  public init() {}

  /// A group that was committed, or refused whole.
  public mutating func countGroup(of members: Int) {
    largestGroup = max(largestGroup, members)
    let index = members <= 1 ? 0 : Int.bitWidth - (members - 1).leadingZeroBitCount
    groups[min(index, groups.count - 1)] += 1
  }
}
