// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import ZeroMQ

/// One connection of a client, from the first attempt to its loss: a DEALER and its events, on the socket thread. A new
/// one has a new DEALER, so nothing that was queued for a lost connection ever reaches the next.
///
/// Without ZMQ_IMMEDIATE, on purpose. With it libzmq 4.3.4 ends the receiving side too as soon as it notices that a
/// connection is lost: replies that have arrived are dropped, and if it notices between two frames of one (it looks every
/// hundredth receive), it aborts the process. Nothing is sent before `isReady` instead.
final class ClientConnection {
  let socket: Socket
  let monitor: SocketMonitor
  private(set) var isReady = false
  private(set) var isLost = false
  /// The server is there and shook no hands: it has another key, or does not let ours in.
  private(set) var isRefused = false
  /// The keys it was made with.
  let keys: ClientKeys.Choice?
  /// Tells a client's connections apart.
  let number: Int
  private static let counter = Atomic<Int>(0)

  /// - Parameter keys: nil for plain text.
  init(
    _ endpoint: String, in context: Context, largestReply: Int, keys: ClientKeys.Choice?
  ) throws(ZeroMQError) {
    self.keys = keys
    number = ClientConnection.counter.wrappingAdd(1, ordering: .relaxed).newValue
    socket = try Socket(.dealer, in: context)
    try socket.set(.linger, 0)
    try socket.set(.largestFrame, Int64(largestReply))
    try socket.set(.longestReconnectInterval, 250)
    // A server that stopped is noticed after the timeout, and it notices us by the time to live. Milliseconds.
    try socket.set(.heartbeatInterval, 2_000)
    try socket.set(.heartbeatTimeout, 6_000)
    try socket.set(.heartbeatTimeToLive, 6_000)
    if let keys { try socket.useCurve(server: keys.server, as: keys.pair) }
    if endpoint.hasPrefix("tcp://[") { try socket.set(.ipv6, true) }
    monitor = try SocketMonitor(socket, in: context)
    try socket.connect(endpoint)
  }

  /// Takes in what has happened. A connection that was never ready is not lost: libzmq tries again.
  func readEvents() {
    while let event = try? monitor.next() {
      if event == .ready { isReady = true }
      if event == .disconnected, isReady { isLost = true }
      if event == .handshakeFailed { isRefused = true }
    }
  }

  var pollItems: [PollItem] { [PollItem(socket), PollItem(monitor.socket)] }

  func close() {
    monitor.close()
    socket.close()
  }
}
