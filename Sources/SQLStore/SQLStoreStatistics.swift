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
  /// Calls of `read`.
  public var reads: Int = 0
  /// Read transactions these took.
  public var snapshots: Int = 0

  public init() {}
}
