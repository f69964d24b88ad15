// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Settings of every socket, made for what libzmq 4.3.4 does without them.
public enum SocketDefaults {
  /// How long `close` keeps trying, in milliseconds. libzmq's own default is for ever.
  public static let linger = 1_000
  /// The largest frame that is read, in bytes. A longer one costs its sender the connection.
  public static let largestFrame: Int64 = 4 << 20
  /// An idle TCP connection, or an HTTP request to the wrong port, holds its descriptor this long, in milliseconds.
  public static let handshakeInterval = 1_000
  /// Seconds of silence before the kernel asks whether the peer's machine is still there.
  public static let tcpKeepaliveIdle = 30
  /// Messages per peer and direction; more than twice the calls that a `ZeroMQClient` has under way, so that none of
  /// their replies is refused.
  public static let highWaterMark = 2_560
  /// In milliseconds, with backoff in between.
  public static let reconnectInterval = 20
  /// Connections that wait to be accepted.
  public static let backlog = 1_024
  public static let longestReconnectInterval = 1_000
}

extension Socket {
  func setSafeDefaults(_ kind: SocketKind) throws(ZeroMQError) {
    try set(.linger, SocketDefaults.linger)
    if kind == .pair { return }
    try set(.largestFrame, SocketDefaults.largestFrame)
    try set(.sendHighWaterMark, SocketDefaults.highWaterMark)
    try set(.receiveHighWaterMark, SocketDefaults.highWaterMark)
    try set(.handshakeInterval, SocketDefaults.handshakeInterval)
    try set(.reconnectInterval, SocketDefaults.reconnectInterval)
    try set(.longestReconnectInterval, SocketDefaults.longestReconnectInterval)
    try set(.backlog, SocketDefaults.backlog)
    // A peer whose machine is gone is never noticed otherwise, unless it sent heartbeats.
    try set(.tcpKeepalive, true)
    try set(.tcpKeepaliveIdle, SocketDefaults.tcpKeepaliveIdle)
    // Otherwise what cannot be sent vanishes without an error.
    if kind == .router { try set(.routerMandatory, true) }
  }
}
