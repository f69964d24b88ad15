// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import RPC
import Threading

/// Remembers what is sent through it.
struct RecordingTransport: ClientTransport {
  private let inner: any ClientTransport
  private let sent: Lock<[OutboundRequest]>

  init(_ inner: any ClientTransport, _ sent: Lock<[OutboundRequest]>) {
    self.inner = inner
    self.sent = sent
  }

  func send(_ request: OutboundRequest, completion: @escaping @Sendable (InboundReply) -> Void) -> CallToken {
    sent.withLock { $0.append(request) }
    return inner.send(request, completion: completion)
  }

  func cancel(_ token: CallToken) { inner.cancel(token) }
}
