// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import Synchronization
internal import Threading

/// The calls that are waiting for something, as `rpc.cancel` finds them. A call that ends on the thread it began on is
/// never in here.
final class ActiveCalls: Sendable {
  /// What cancels a call: the calling hop's correlation, or the JSON-RPC id on its connection.
  enum Key: Hashable, Sendable {
    case correlation(Correlation)
    case id(connection: UInt64, RequestID)
  }

  private let byKey = Lock<[Key: (call: RunningCall, task: Task<Void, Never>)]>([:])

  /// Adds a call that did not end at once.
  func add(_ call: RunningCall, _ key: Key, _ task: Task<Void, Never>) {
    call.key = key
    // Either this is seen by `end`, or `hasEnded` is seen below.
    call.isAdded.store(true, ordering: .sequentiallyConsistent)
    byKey.withLock { calls in
      if !call.hasEnded.load(ordering: .sequentiallyConsistent) { calls[key] = (call, task) }
    }
  }

  /// Takes out a call that has ended.
  func end(_ call: RunningCall) {
    call.hasEnded.store(true, ordering: .sequentiallyConsistent)
    guard call.isAdded.load(ordering: .sequentiallyConsistent), let key = call.key else { return }
    byKey.withLock { calls in
      // A client that uses an id twice has the later call in here.
      if calls[key]?.call === call { calls[key] = nil }
    }
  }

  /// Cancels the call's task. False: it is not waiting for anything (any more).
  func cancel(_ key: Key) -> Bool {
    guard let task = byKey.withLock({ $0[key]?.task }) else { return false }
    task.cancel()
    return true
  }
}
