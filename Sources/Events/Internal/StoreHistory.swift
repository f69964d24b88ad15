// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import Threading

/// Which history a store is in, and whether another one has been seen.
final class StoreHistory: Sendable {
  private let current: Lock<String>
  private let contested = Atomic<Bool>(false)

  init(epoch: String) { current = Lock(epoch) }

  var epoch: String { current.withLock { $0 } }

  /// A subscriber has another event in the place of one of this store's: two histories of one subject exist.
  var isContested: Bool { contested.load(ordering: .acquiring) }

  func contest() { contested.store(true, ordering: .releasing) }

  /// The store has recovered and goes on in another epoch.
  func begin(_ epoch: String) {
    current.withLock { $0 = epoch }
    contested.store(false, ordering: .releasing)
  }
}
