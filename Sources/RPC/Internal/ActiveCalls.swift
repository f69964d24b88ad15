// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import Synchronization
internal import Threading

/// One running call, as `rpc.cancel` finds it.
final class ActiveCall: Sendable {
  /// What cancels it: the calling hop's correlation, or the JSON-RPC id on its connection.
  enum Key: Hashable, Sendable {
    case correlation(Correlation)
    case id(connection: UInt64, RequestID)
  }

  fileprivate let added = Atomic<Bool>(false)
  fileprivate let ended = Atomic<Bool>(false)
}

/// The calls that are waiting for something. A call that ends on the thread it began on is never in here.
final class ActiveCalls: Sendable {
  private let byKey = Lock<[ActiveCall.Key: (call: ActiveCall, task: Task<Void, Never>)]>([:])

  /// Adds a call that did not end at once.
  func add(_ call: ActiveCall, _ key: ActiveCall.Key, _ task: Task<Void, Never>) {
    guard !call.ended.load(ordering: .sequentiallyConsistent) else { return }
    // Either this is seen by `end`, or `ended` is seen below.
    call.added.store(true, ordering: .sequentiallyConsistent)
    byKey.withLock { calls in
      if !call.ended.load(ordering: .sequentiallyConsistent) { calls[key] = (call, task) }
    }
  }

  /// Takes out a call that has ended.
  func end(_ call: ActiveCall, _ key: ActiveCall.Key) {
    call.ended.store(true, ordering: .sequentiallyConsistent)
    guard call.added.load(ordering: .sequentiallyConsistent) else { return }
    byKey.withLock { calls in
      // A client that uses an id twice has the later call in here.
      if calls[key]?.call === call { calls[key] = nil }
    }
  }

  /// Cancels the call's task. False: it is not waiting for anything (any more).
  func cancel(_ key: ActiveCall.Key) -> Bool {
    guard let task = byKey.withLock({ $0[key]?.task }) else { return false }
    task.cancel()
    return true
  }
}
