// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Shares a number of places among connections, so that one that floods cannot keep the others out: each may hold as many
/// places as are free. One connection alone gets half of them, two get a third each, and some are free always.
///
/// Connections are told apart by 10 bits of a hash: two may have to share, at worst.
///
/// Source: Choudhury, Hahne, Dynamic Queue Length Thresholds for Shared-Memory Packet Switches (IEEE/ACM ToN 6, 1998).
///
/// Unchecked Sendable: the counters are reached through atomic operations only.
public final class FairShare: @unchecked Sendable {
  private static let bits: UInt64 = 10
  private let counts: UnsafeMutablePointer<Atomic<Int>>

  public init() {
    counts = .allocate(capacity: 1 << FairShare.bits)
    for index in 0..<1 << Int(FairShare.bits) { (counts + index).initialize(to: Atomic(0)) }
  }

  deinit {
    counts.deinitialize(count: 1 << Int(FairShare.bits))
    counts.deallocate()
  }

  private func slot(_ connection: UInt64) -> Int {
    Int((connection &* 0x9E37_79B9_7F4A_7C15) >> (64 - FairShare.bits))
  }

  /// Whether the connection may have one more of the places.
  /// - Parameter free: how many nobody has.
  @inline(__always)
  public func admits(_ connection: UInt64, free: Int) -> Bool {
    counts[slot(connection)].load(ordering: .relaxed) < free
  }

  public func take(_ connection: UInt64) { counts[slot(connection)].add(1, ordering: .relaxed) }
  public func giveBack(_ connection: UInt64) { counts[slot(connection)].subtract(1, ordering: .relaxed) }
}
