// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import RPC
import Synchronization

/// Says that it takes so many calls at once.
final class LimitedTransport: ClientTransport {
  private let inner: any ClientTransport
  private let free: Atomic<Int>

  init(_ inner: any ClientTransport, places: Int) {
    self.inner = inner
    free = Atomic(places)
  }

  var room: Int? { free.load(ordering: .relaxed) }

  func send(_ request: OutboundRequest, completion: @escaping @Sendable (InboundReply) -> Void) -> CallToken {
    free.subtract(1, ordering: .relaxed)
    return inner.send(request) { reply in
      self.free.add(1, ordering: .relaxed)
      completion(reply)
    }
  }

  func cancel(_ token: CallToken) { inner.cancel(token) }
}
