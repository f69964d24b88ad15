// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// How many calls may be sent again: one for every ten that were answered, and a few to begin with. So a service that
/// keeps failing is not given twice the load by those who try again.
public struct RetryBudget: Sendable {
  private static let start = 20.0
  private static let most = 200.0
  private var tokens = RetryBudget.start

  public init() {}

  public mutating func earn() { tokens = min(RetryBudget.most, tokens + 0.1) }

  /// - Returns: whether there was one left.
  public mutating func spend() -> Bool {
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }
}
