// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Keeps calls from piling up in front of a service that does not keep up: so many under way, one more is refused.
public struct Breaker: Sendable {
  /// Calls under way at each replica.
  public let limitPerReplica: Int

  public init(limitPerReplica: Int) { self.limitPerReplica = limitPerReplica }

  /// What all replicas together take. A service that is away may have as many calls waiting as one replica takes.
  public func limit(replicas: Int) -> Int { limitPerReplica * max(1, replicas) }

  /// Whether one more call may begin.
  @inline(__always)
  public func admits(underWay: Int, replicas: Int) -> Bool { room(underWay: underWay, replicas: replicas) > 0 }

  /// How many more may begin.
  @inline(__always)
  public func room(underWay: Int, replicas: Int) -> Int { max(0, limit(replicas: replicas) - underWay) }
}
