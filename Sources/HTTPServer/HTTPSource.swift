// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// An address with open connections. One object for all of them, so that what is known of an address is found without
/// looking it up for each request. Belongs to the server's thread.
public final class HTTPSource {
  /// Numeric, without a port.
  public let address: String
  public internal(set) var connections = 0
  /// What the handler keeps of it, until its last connection is closed.
  public var note: AnyObject?

  /// Of a slot without a connection. Never changed, so that servers on several threads may share it.
  nonisolated(unsafe) static let none = HTTPSource("")

  init(_ address: String) { self.address = address }
}
