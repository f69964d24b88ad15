// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// How many calls may be sent again: one for every ten that were answered, and a few to begin with. So a service that
/// keeps failing is not given twice the load by those who try again.
///
/// One repeat of each call is free where its replica is at fault and not the service: hundreds may be under way at a
/// replica that fails. None is while all replicas are slow.
public struct RetryBudget: Sendable {
  private static let start = 20.0
  private static let most = 200.0
  private var tokens = RetryBudget.start

  public init() {}

  public mutating func earn() { tokens = min(RetryBudget.most, tokens + 0.1) }

  /// - Parameters:
  ///   - isFailover: the call's replica is lost, or silent while another is not.
  ///   - wasFree: whether the call has had its free repeat; set when it has it now.
  /// - Returns: whether the call may be sent again.
  public mutating func covers(isFailover: Bool, _ wasFree: inout Bool) -> Bool {
    guard isFailover, !wasFree else { return spend() }
    wasFree = true
    return true
  }

  /// - Returns: whether there was one left.
  public mutating func spend() -> Bool {
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }
}
