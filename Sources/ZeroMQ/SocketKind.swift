// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CZeroMQ

/// A socket's messaging pattern.
public struct SocketKind: Sendable, Hashable {
  let code: CInt

  /// Serves many peers; the first frame of each message names one.
  public static let router = SocketKind(code: ZMQ_ROUTER)
  /// Asynchronous client: many requests may be under way.
  public static let dealer = SocketKind(code: ZMQ_DEALER)
  /// Lock-step client.
  public static let req = SocketKind(code: ZMQ_REQ)
  public static let rep = SocketKind(code: ZMQ_REP)
  public static let pub = SocketKind(code: ZMQ_PUB)
  public static let sub = SocketKind(code: ZMQ_SUB)
  public static let pair = SocketKind(code: ZMQ_PAIR)
}
