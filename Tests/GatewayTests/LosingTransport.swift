// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import RPC
import Threading

/// Loses the connection before the first replies: the service has done its work, the reply never comes.
struct LosingTransport: ClientTransport {
  private let inner: any ClientTransport
  private let left: Lock<Int>

  init(_ inner: any ClientTransport, _ losses: Lock<Int>) {
    self.inner = inner
    left = losses
  }

  func send(_ request: OutboundRequest, completion: @escaping @Sendable (InboundReply) -> Void) -> CallToken {
    inner.send(request) { [left] reply in
      let isLost: Bool = left.withLock { left in
        left -= 1
        return left >= 0
      }
      completion(
        isLost
          ? .failed(.unavailable("the connection was lost", reason: "connectionLost", processed: .unknown)) : reply)
    }
  }

  func cancel(_ token: CallToken) { inner.cancel(token) }
}
