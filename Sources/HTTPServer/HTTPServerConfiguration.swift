// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Where an `HTTPServer` listens and what it allows a client.
public struct HTTPServerConfiguration: Sendable {
  /// A numeric IPv4 or IPv6 address. `::` takes both kinds.
  public var address: String
  /// 0 takes any free port; `HTTPServer.port` tells which.
  public var port: UInt16
  /// Open connections; further ones wait in the kernel's backlog, until those that have not sent a whole request for over
  /// a second lose their places.
  public var connectionLimit: Int
  /// Open connections of one address; requests on a further one are refused, and beyond twice as many it is closed at
  /// once. 0: no limit, for behind a proxy, where all come from one.
  public var connectionsPerAddress: Int
  /// How long a connection may stay without a whole request head, in seconds. Connections that wait for an answer are
  /// not concerned.
  public var idleSeconds: Int
  /// How long a body may take from the end of the head to its last byte, in seconds.
  public var receiveSeconds: Int
  /// How long a client may take to read a response, in seconds. Streams are not concerned.
  public var sendSeconds: Int
  /// Bytes of all bodies that are being received; a request beyond is refused. Also of all responses that are being
  /// sent, small ones apart; in place of one beyond 503 is sent, and those who have read longest at theirs are cut off.
  public var bufferLimit: Int
  /// An unread body above the limit is read and dropped up to this many bytes, so that the client gets to see the 413;
  /// a longer one costs it the connection.
  public var dropLimit: Int

  public init(
    address: String = "127.0.0.1", port: UInt16 = 0, connectionLimit: Int = 4096, connectionsPerAddress: Int = 0,
    idleSeconds: Int = 60, receiveSeconds: Int = 30, sendSeconds: Int = 60, bufferLimit: Int = 64 << 20,
    dropLimit: Int = 8 << 20
  ) {
    self.address = address
    self.port = port
    self.connectionLimit = connectionLimit
    self.connectionsPerAddress = connectionsPerAddress
    self.idleSeconds = idleSeconds
    self.receiveSeconds = receiveSeconds
    self.sendSeconds = sendSeconds
    self.bufferLimit = bufferLimit
    self.dropLimit = dropLimit
  }
}
