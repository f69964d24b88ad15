// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC

/// What one caller, or one address, uses of the gateway: calls that run, how fast they come, how many each service has of
/// them, how many are refused, and what answers it has not read. Used on the socket thread only.
final class Usage {
  /// 0 in any of them: no limit.
  struct Limits: Sendable, Hashable {
    /// Calls a second, for long.
    var perSecond = 0
    /// Calls at once after a rest.
    var burst = 0
    var inFlight = 0
  }

  enum Refusal: Equatable {
    /// Milliseconds until the next call may come.
    case rate(wait: Int)
    case inFlight(limit: Int)
  }

  private let limits: Limits
  private let isShared: Bool
  private var running = 0
  /// Calls under way at each service, by `Upstream.index`.
  private var held = SIMD8<Int32>()
  private var calls = RateBucket()
  private var refusals = RateBucket()
  /// Bytes of an `AnswerRoom` that answers to it take.
  var answerBytes = 0

  /// So many refusals a second are told at once for long, and so many after a rest; more wait.
  private static let refusalsPerSecond = 200
  private static let refusalsAtOnce = 1_000

  /// - Parameter isShared: by many who have nothing to do with each other: it takes any number of a service's places.
  init(_ limits: Limits, isShared: Bool = false) {
    self.limits = limits
    self.isShared = isShared
  }

  /// A call comes. Unless it is refused it is counted until `leave()`.
  /// - Parameter now: monotonic nanoseconds.
  func enter(at now: UInt64) -> Refusal? {
    if limits.inFlight > 0, running >= limits.inFlight { return .inFlight(limit: limits.inFlight) }
    if limits.perSecond > 0, let wait = calls.take(at: now, perSecond: limits.perSecond, burst: limits.burst) {
      return .rate(wait: Int((wait + 999_999) / 1_000_000))
    }
    running += 1
    return nil
  }

  /// A call that was counted has been answered.
  func leave() { running -= 1 }

  /// Whether it may have one more of a service's places: as many as are free, so one is left for the next.
  /// - Parameters:
  ///   - service: its `Upstream.index`.
  ///   - free: how many nobody has.
  func mayHold(_ service: Int, free: Int) -> Bool { isShared || Int(held[service]) < free }
  func hold(_ service: Int) { held[service] += 1 }
  func letGo(_ service: Int) { held[service] -= 1 }

  /// Whether refusals that are to be told now must wait, because there have been too many.
  /// - Parameter now: monotonic nanoseconds.
  func holdsBack(_ count: Int, at now: UInt64) -> Bool {
    refusals.take(count, at: now, perSecond: Usage.refusalsPerSecond, burst: Usage.refusalsAtOnce) != nil
  }
}

extension Usage.Refusal {
  /// - Parameter whose: `caller` or `address`: the first word of the reason.
  func error(_ whose: String) -> RPCError {
    switch self {
    case .rate(let wait):
      .resourceExhausted("too many calls from this \(whose)", reason: "\(whose)Rate", retryAfterMs: wait)
    case .inFlight(let limit):
      .resourceExhausted(
        "this \(whose) has \(limit) calls running, which is the most", reason: "\(whose)InFlight", retryAfterMs: 100)
    }
  }
}
