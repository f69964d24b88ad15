// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A number that only grows.
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

/// Durations by power-of-two buckets from 16 µs to 33 s. Recording is three atomic additions.
public final class Histogram: Sendable {
  /// Upper bounds are `16 µs << index`; the last bucket takes the rest.
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

  public var count: Int { (0..<Histogram.bucketCount).reduce(0) { $0 + buckets.load($1) } }

  /// An upper bound of the value that `fraction` of the recordings do not exceed, in microseconds; nil without any.
  public func quantileMicroseconds(_ fraction: Double) -> Int? {
    let all = count
    guard all > 0 else { return nil }
    let wanted = Int((Double(all) * fraction).rounded(.up))
    var seen = 0
    for index in 0..<Histogram.bucketCount {
      seen += buckets.load(index)
      if seen >= wanted { return Histogram.upperBoundNanoseconds(index) / 1000 }
    }
    return Histogram.upperBoundNanoseconds(Histogram.bucketCount - 1) / 1000
  }

  private static func upperBoundNanoseconds(_ index: Int) -> Int { 1 << (14 + index) }

  func render(_ name: String, _ labels: String) -> String {
    var text = ""
    var seen = 0
    let open = labels.isEmpty ? "{" : labels.dropLast() + ","
    for index in 0..<Histogram.bucketCount {
      seen += buckets.load(index)
      let bound =
        index == Histogram.bucketCount - 1 ? "+Inf" : String(Double(Histogram.upperBoundNanoseconds(index)) / 1e9)
      text += "\(name)_bucket\(open)le=\"\(bound)\"} \(seen)\n"
    }
    text += "\(name)_sum\(labels) \(Double(total.load(ordering: .relaxed)) / 1e9)\n"
    text += "\(name)_count\(labels) \(seen)\n"
    return text
  }
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
