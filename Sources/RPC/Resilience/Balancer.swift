// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Picks the replica that a call goes to: of two that are drawn, the one with fewer calls under way. Nearly as even as
/// looking at all of them, and constant time.
///
/// Source: Mitzenmacher, The Power of Two Choices in Randomized Load Balancing (IEEE TPDS 12, 2001).
public struct Balancer: Sendable {
  private var state: UInt64

  /// - Parameter seed: any number; the same draws follow from the same one.
  public init(seed: UInt64) { state = seed }

  /// - Parameters:
  ///   - count: of replicas.
  ///   - outstanding: the calls under way at the replica of that index.
  /// - Returns: an index, nil when there are none.
  @inline(__always)
  public mutating func pick(_ count: Int, outstanding: (Int) -> Int) -> Int? {
    if count <= 1 { return count == 1 ? 0 : nil }
    let random = next()
    let first = Int((random >> 32) % UInt64(count))
    var second = Int((random & 0xFFFF_FFFF) % UInt64(count - 1))
    if second >= first { second += 1 }
    return outstanding(second) < outstanding(first) ? second : first
  }

  /// SplitMix64. Not to be used for secrets.
  ///
  /// Source: Steele, Lea, Flood, Fast Splittable Pseudorandom Number Generators (OOPSLA 2014).
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
