// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A number that only grows. Counting is one atomic addition.
public final class Counter: Sendable {
  private let count = Atomic<Int>(0)
  public init() {}
  public var value: Int { count.load(ordering: .relaxed) }
  public func increment(by amount: Int = 1) { count.add(amount, ordering: .relaxed) }
}

/// A number that goes up and down.
public final class Gauge: Sendable {
  private let count = Atomic<Int>(0)
  public init() {}
  public var value: Int { count.load(ordering: .relaxed) }
  public func set(_ value: Int) { count.store(value, ordering: .relaxed) }
  public func add(_ amount: Int) { count.add(amount, ordering: .relaxed) }
}
