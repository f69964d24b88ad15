// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import Threading

/// What a caller knows of a method: whether it asks for hedging or waits, and how long its calls take. May be used from any thread.
///
/// The quantiles are estimates that move by a share of themselves with every call, up when it took longer and down when it
/// did not, so that they rest where as many calls lie above them as should. They follow a change within some hundred
/// calls, and cost two multiplications. Two threads at once may lose a step.
public final class MethodProfile: Sendable {
  /// A second attempt may be made beside a first that is slow.
  public let isHedged: Bool
  /// It may wait for something to happen, so that it takes long is no fault of the replica's.
  public let waits: Bool
  // Bit patterns of nanoseconds as Double.
  private let p95 = Atomic<UInt64>(MethodProfile.start95.bitPattern)
  private let p99 = Atomic<UInt64>(MethodProfile.start99.bitPattern)

  private static let start95 = 25_000_000.0
  private static let start99 = 62_500_000.0
  private static let step = 0.05
  private static let least = 20_000.0
  private static let most = 30_000_000_000.0

  public init(isHedged: Bool = false, waits: Bool = false) {
    self.isHedged = isHedged
    self.waits = waits
  }

  public convenience init(of method: MethodDescriptor) { self.init(isHedged: method.isHedged, waits: method.waits) }

  /// Takes in how long a call took. One that timed out counts with the time it was given.
  public func record(nanoseconds: UInt64) {
    let value = Double(nanoseconds)
    move(p95, 0.95, value)
    move(p99, 0.99, value)
  }

  /// In milliseconds, rounded up.
  public var p95Milliseconds: Int { milliseconds(p95) }
  public var p99Milliseconds: Int { milliseconds(p99) }

  private func milliseconds(_ estimate: borrowing Atomic<UInt64>) -> Int {
    Int((Double(bitPattern: estimate.load(ordering: .relaxed)) / 1e6).rounded(.up))
  }

  private func move(_ estimate: borrowing Atomic<UInt64>, _ fraction: Double, _ value: Double) {
    var quantile = Double(bitPattern: estimate.load(ordering: .relaxed))
    quantile *=
      value > quantile ? 1 + MethodProfile.step * fraction : 1 - MethodProfile.step * (1 - fraction)
    let bounded = min(max(quantile, MethodProfile.least), MethodProfile.most)
    estimate.store(bounded.bitPattern, ordering: .relaxed)
  }
}

/// The profiles of the methods that a program calls, each made at its first call.
public final class MethodProfiles: Sendable {
  private let byName = Lock<[String: MethodProfile]>([:])

  public init() {}

  public func profile(of method: MethodDescriptor) -> MethodProfile {
    byName.withLock { profiles in
      if let known = profiles[method.name] { return known }
      let made = MethodProfile(of: method)
      profiles[method.name] = made
      return made
    }
  }
}
