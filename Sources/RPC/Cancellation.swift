// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Whether a call's caller has taken it back. Set once, from any thread.
package final class Cancellation: Sendable {
  private let flag = Atomic<Bool>(false)
  package init() {}
  package var isCancelled: Bool { flag.load(ordering: .acquiring) }
  package func cancel() { flag.store(true, ordering: .releasing) }
}
