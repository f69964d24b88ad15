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

  let cancellation = Cancellation()
  /// Written and read under the lock of `ActiveCalls`.
  fileprivate let ended = Atomic<Bool>(false)
}

/// The calls that are waiting for something. A call that ends on the thread it began on is never in here.
final class ActiveCalls: Sendable {
  private let byKey = Lock<[ActiveCall.Key: ActiveCall]>([:])

  /// Adds a call that did not end at once, unless it has ended meanwhile.
  func add(_ call: ActiveCall, _ key: ActiveCall.Key) {
    byKey.withLock { calls in
      if !call.ended.load(ordering: .relaxed) { calls[key] = call }
    }
  }

  /// Takes out a call that has ended; whether `add` came first does not matter.
  func remove(_ call: ActiveCall, _ key: ActiveCall.Key) {
    byKey.withLock { calls in
      call.ended.store(true, ordering: .relaxed)
      // A client that uses an id twice has the later call in here.
      if calls[key] === call { calls[key] = nil }
    }
  }

  func cancel(_ key: ActiveCall.Key) -> Bool {
    guard let call = byKey.withLock({ $0[key] }) else { return false }
    call.cancellation.cancel()
    return true
  }
}
