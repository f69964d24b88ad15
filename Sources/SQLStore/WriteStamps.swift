// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Tells whether something may have been written since it was read, for stores that this process alone writes to: what was
/// read after a stamp was taken is still true as long as the stamp is the same.
///
/// A write names keys of what it changes (`SQLWrites.touch`). Their stamps change after its commit and before anybody is
/// told of it, so whoever knows of a write sees its stamp. Keys share stamps by chance, which costs a read now and then.
public final class WriteStamps: Sendable {
  private static let count = 4096
  // Atomics cannot be elements of an array. Made once, freed with this object.
  private nonisolated(unsafe) let stamps: UnsafeMutablePointer<Atomic<UInt64>>

  public init() {
    stamps = .allocate(capacity: Self.count)
    for index in 0..<Self.count { (stamps + index).initialize(to: Atomic(0)) }
  }

  deinit {
    stamps.deinitialize(count: Self.count)
    stamps.deallocate()
  }

  /// The stamp of one key. Of several: the sum, since stamps only grow.
  public func stamp(of key: UInt64) -> UInt64 { stamps[Self.index(key)].load(ordering: .acquiring) }

  /// What the keys stand for has been written. For stores: after the commit, once reads see it.
  public func raise(_ keys: [UInt64]) {
    for key in keys { stamps[Self.index(key)].add(1, ordering: .acquiringAndReleasing) }
  }

  private static func index(_ key: UInt64) -> Int { Int(key & UInt64(count - 1)) }
}
