// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import Threading

/// Wakes relays when something was committed. Raising it costs an addition while nobody waits.
final class CommitSignal: Sendable {
  private let raised = Atomic<Int>(0)
  private let hasWaiters = Atomic<Bool>(false)
  private let waiters = Lock<[Int: UnsafeContinuation<Void, Never>]>([:])
  private let lastWaiter = Atomic<Int>(0)

  /// How often it was raised, to be read before looking for work.
  var count: Int { raised.load(ordering: .sequentiallyConsistent) }

  func raise() {
    raised.add(1, ordering: .sequentiallyConsistent)
    guard hasWaiters.load(ordering: .sequentiallyConsistent) else { return }
    let waiting = waiters.withLock { waiters in
      defer { waiters = [:] }
      hasWaiters.store(false, ordering: .sequentiallyConsistent)
      return Array(waiters.values)
    }
    for waiter in waiting { waiter.resume() }
  }

  /// Returns once it was raised after `count` was read, the time is over, or the task is cancelled.
  func wait(after count: Int, milliseconds: Int) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.wait(after: count) }
      group.addTask { try? await Task.sleep(for: .milliseconds(milliseconds)) }
      await group.next()
      group.cancelAll()
    }
  }

  private func wait(after count: Int) async {
    let me = lastWaiter.add(1, ordering: .relaxed).newValue
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let mustWait: Bool = waiters.withLock { waiters in
          hasWaiters.store(true, ordering: .sequentiallyConsistent)
          if self.count != count || Task.isCancelled { return false }
          waiters[me] = continuation
          return true
        }
        if !mustWait { continuation.resume() }
      }
    } onCancel: {
      let waiter = waiters.withLock { $0.removeValue(forKey: me) }
      waiter?.resume()
    }
  }
}
