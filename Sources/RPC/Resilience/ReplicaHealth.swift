// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// When a replica is taken out of rotation, and for how long. Times in milliseconds.
public struct OutlierPolicy: Sendable {
  /// Attempts that failed or timed out, one after the other.
  public var failuresInARow = 5
  /// Out for so long the first time, for twice as long the second, and so on.
  public var ejection = 5_000
  public var longestEjection = 30_000
  /// After so long without an ejection the next one counts as the first.
  public var peace = 60_000
  /// A replica that was silent for this long is asked whether it is well.
  public var probeInterval = 2_000
  /// Silent for this long after that, it is stalled.
  public var probeTimeout = 2_000

  public init() {}
}

/// What is known of one replica's health: a state machine without clock or I/O. All times are milliseconds of one
/// monotonic clock.
///
/// - Failing: too many attempts in a row failed; out until a time.
/// - Stalled: it did not answer a question (its process is paused, or its loop hangs while libzmq's own threads keep the
///   connection alive); out until anything is heard from it.
public struct ReplicaHealth: Sendable {
  private let policy: OutlierPolicy
  private var failures = 0
  private var ejections = 0
  private var ejectedUntil = Int64.min
  private var lastHeard: Int64
  /// Since when it has been given something to answer, if nothing was heard since.
  private var owesSince: Int64?
  /// When it was asked, if nothing was heard since.
  private var askedAt: Int64?
  public private(set) var isStalled = false

  public init(_ policy: OutlierPolicy, now: Int64) {
    self.policy = policy
    lastHeard = now
  }

  public func isEjected(now: Int64) -> Bool { now < ejectedUntil }
  public func isWell(now: Int64) -> Bool { !isStalled && !isEjected(now: now) }
  /// When it comes back, if it is ejected.
  public func returnsAt(now: Int64) -> Int64? { isEjected(now: now) ? ejectedUntil : nil }

  /// For how long it has had something to answer and said nothing. A call that is taken back does not end it.
  public func silence(now: Int64) -> Int64 { owesSince.map { now - $0 } ?? 0 }

  /// It was given something to answer.
  @inline(__always)
  public mutating func owes(from now: Int64) { if owesSince == nil { owesSince = now } }

  /// A message came from it.
  /// - Parameter owesMore: there is more that it has to answer.
  /// - Returns: whether it was stalled until now.
  @inline(__always)
  public mutating func heard(now: Int64, owesMore: Bool = false) -> Bool {
    lastHeard = now
    owesSince = owesMore ? now : nil
    guard askedAt != nil else { return false }
    askedAt = nil
    defer { isStalled = false }
    return isStalled
  }

  @inline(__always)
  public mutating func succeeded() { failures = 0 }

  /// An attempt was lost, timed out or was answered with a fault. While it is ejected none counts: those were begun before.
  /// - Returns: whether it has failed often enough to be ejected.
  public mutating func failed(now: Int64) -> Bool {
    if isEjected(now: now) { return false }
    failures += 1
    return failures >= policy.failuresInARow
  }

  public mutating func eject(now: Int64) {
    if ejectedUntil != .min, now - ejectedUntil >= Int64(policy.peace) { ejections = 0 }
    let time = min(policy.longestEjection, policy.ejection << min(ejections, 16))
    ejections += 1
    failures = 0
    ejectedUntil = now + Int64(time)
  }

  /// Whether to ask it how it is. Once it says yes, it was asked.
  public mutating func asks(now: Int64) -> Bool {
    guard now - max(lastHeard, askedAt ?? .min) >= Int64(policy.probeInterval) else { return false }
    askedAt = askedAt ?? now
    return true
  }

  /// It is asked how it is, not in its turn.
  /// - Returns: false when it was asked before and has not answered.
  public mutating func isAskedNow(now: Int64) -> Bool {
    defer { askedAt = askedAt ?? now }
    return askedAt == nil
  }

  /// For how long it has left a question unanswered.
  public func owesAnswer(now: Int64) -> Int64 { askedAt.map { now - $0 } ?? 0 }

  /// Notices that a question was not answered in time.
  /// - Returns: whether it is stalled from now on.
  public mutating func noticeStall(now: Int64) -> Bool {
    guard !isStalled, let askedAt, now - askedAt >= Int64(policy.probeTimeout) else { return false }
    isStalled = true
    return true
  }
}
