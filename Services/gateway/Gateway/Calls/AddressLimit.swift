// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// How often one address may do something: `burst` times at once, then once every `interval`.
struct AddressLimit {
  private struct Bucket {
    /// When the bucket is full again if nothing more happens, in monotonic milliseconds.
    var fullAt: Int64
  }
  private var newer: [String: Bucket] = [:]
  private var older: [String: Bucket] = [:]
  private let interval: Int64
  private let burst: Int64
  private let halfCapacity: Int

  /// - Parameters:
  ///   - interval: in milliseconds.
  ///   - capacity: how many addresses are remembered; the longest silent ones are forgotten first.
  init(burst: Int, interval: Int, capacity: Int = 16_384) {
    self.burst = Int64(burst)
    self.interval = Int64(interval)
    halfCapacity = max(1, capacity / 2)
  }

  /// Milliseconds to wait before the next try, or nil if it may be made now.
  func wait(_ address: String, now: Int64) -> Int? {
    guard let bucket = newer[address] ?? older[address] else { return nil }
    let over = bucket.fullAt - now - interval * (burst - 1)
    return over > 0 ? Int(over) : nil
  }

  /// Takes one from the address's bucket.
  mutating func count(_ address: String, now: Int64) {
    let bucket = older.removeValue(forKey: address) ?? newer[address]
    if newer[address] == nil, newer.count >= halfCapacity {
      older = newer
      newer = [:]
    }
    newer[address] = Bucket(fullAt: max(bucket?.fullAt ?? now, now) + interval)
  }
}
