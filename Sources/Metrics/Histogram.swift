// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Durations by power-of-two buckets from 16 µs to 17 s. Recording is two atomic additions and allocates nothing.
public final class Histogram: Sendable {
  /// Upper bounds are `16384 ns << index`; the last bucket takes the rest.
  private static let bucketCount = 22
  private let buckets: AtomicArray
  private let total = Atomic<Int>(0)

  public init() { buckets = AtomicArray(count: Histogram.bucketCount) }

  public func record(nanoseconds: UInt64) {
    let units = nanoseconds >> 14
    let index = units == 0 ? 0 : min(Histogram.bucketCount - 1, 64 - units.leadingZeroBitCount)
    buckets.add(1, at: index)
    // Wrapping: a sum that overflows after centuries must not end the process.
    total.wrappingAdd(Int(truncatingIfNeeded: nanoseconds), ordering: .relaxed)
  }

  public var count: Int { counts.reduce(0, +) }

  /// By bucket, not cumulative.
  var counts: [Int] { (0..<Histogram.bucketCount).map { buckets.load($0) } }

  var sumNanoseconds: Int { total.load(ordering: .relaxed) }

  /// Upper bounds of all buckets but the last, in seconds.
  static let bounds = (0..<bucketCount - 1).map { Double(upperBoundNanoseconds($0)) / 1e9 }

  /// An upper bound of the value that `fraction` of the recordings do not exceed, in microseconds; nil without any.
  public func quantileMicroseconds(_ fraction: Double) -> Int? { Histogram.quantileMicroseconds(fraction, of: counts) }

  static func quantileMicroseconds(_ fraction: Double, of counts: [Int]) -> Int? {
    let all = counts.reduce(0, +)
    guard all > 0 else { return nil }
    let wanted = Int((Double(all) * fraction).rounded(.up))
    var seen = 0
    let index = counts.firstIndex {
      seen += $0
      return seen >= wanted
    }
    return upperBoundNanoseconds(index ?? bucketCount - 1) / 1000
  }

  private static func upperBoundNanoseconds(_ index: Int) -> Int { 1 << (14 + index) }
}

/// A fixed number of counters. `Atomic` cannot be an array's element.
private final class AtomicArray: @unchecked Sendable {
  // Only reached through atomic operations; allocated and freed with the object.
  private let storage: UnsafeMutablePointer<Atomic<Int>>
  private let count: Int

  init(count: Int) {
    self.count = count
    storage = .allocate(capacity: count)
    for index in 0..<count { (storage + index).initialize(to: Atomic(0)) }
  }
  deinit {
    storage.deinitialize(count: count)
    storage.deallocate()
  }
  func add(_ amount: Int, at index: Int) { storage[index].add(amount, ordering: .relaxed) }
  func load(_ index: Int) -> Int { storage[index].load(ordering: .relaxed) }
}
