// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import RPC

/// A reply on its way to libzmq: three words, since some thousands may wait.
struct RoutedReply: Sendable {
  let route: ReplyRoute
  let body: [UInt8]
  /// JSON; empty where the request came without metadata.
  let metadata: [UInt8]

  init(_ reply: OutboundReply, to route: ReplyRoute, _ texts: inout ReplyMetadataTexts) {
    self.route = route
    body = reply.body
    metadata = route.hasMetadata ? texts.text(of: reply.metadata) : []
  }

  /// Of memory, roughly: what holds the bytes counts too, as there may be many small ones.
  var byteCount: Int { body.count + metadata.count + 256 }
}
