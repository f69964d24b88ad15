// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// How many calls may be sent again: one for every ten that were answered, and a few to begin with. So a service that
/// keeps failing is not given twice the load by those who try again.
///
/// The first repeat of a call is free where its replica is at fault and not the service: hundreds may be under way at a
/// replica that fails. That is one more for each call at most, and none while all replicas are slow.
public struct RetryBudget: Sendable {
  private static let start = 20.0
  private static let most = 200.0
  private var tokens = RetryBudget.start

  public init() {}

  public mutating func earn() { tokens = min(RetryBudget.most, tokens + 0.1) }

  /// - Parameters:
  ///   - repetition: 1 for a call's first repeat.
  ///   - isFailover: the call's replica is lost, or silent while another is not.
  /// - Returns: whether the call may be sent again.
  public mutating func covers(_ repetition: Int, isFailover: Bool) -> Bool {
    repetition == 1 && isFailover || spend()
  }

  /// - Returns: whether there was one left.
  public mutating func spend() -> Bool {
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }
}
