// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import RPC

/// A reply on its way to libzmq: three words, since some thousands may wait.
struct RoutedReply: Sendable {
  let route: ReplyRoute
  let body: [UInt8]
  /// JSON; empty where the request came without metadata.
  let metadata: [UInt8]

  init(_ reply: OutboundReply, to route: ReplyRoute) {
    self.route = route
    body = reply.body
    guard route.hasMetadata else {
      metadata = []
      return
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(96)
    reply.metadata.append(to: &bytes)
    metadata = bytes
  }

  var byteCount: Int { body.count + metadata.count }
}
