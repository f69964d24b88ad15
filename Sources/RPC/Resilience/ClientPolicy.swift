// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// What a client does about replicas that are slow, failing or gone. Times in milliseconds.
public struct ClientPolicy: Sendable {
  public var retry = RetryPolicy()
  public var outliers = OutlierPolicy()
  /// Calls under way at each replica. Below half the transport's high-water mark, so that no reply is ever refused.
  public var callsPerReplica = 1_024
  /// Of those that a name stands for, calls go to so many at most: to any, but always the same while they are there.
  public var mostReplicas = Int.max
  /// Between two resolutions of a name.
  public var resolveInterval = 5_000

  public init() {}
}
