// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// An address with open connections. One object for all of them, so that what is known of an address is found without
/// looking it up for each request. Belongs to the server's thread.
public final class HTTPSource {
  /// Numeric, without a port; of IPv6 the network, see `network(of:)`.
  public let address: String
  public internal(set) var connections = 0
  /// What the handler keeps of it, until its last connection is closed.
  public var note: AnyObject?

  /// Of a slot without a connection. Never changed, so that servers on several threads may share it.
  nonisolated(unsafe) static let none = HTTPSource("")

  init(_ address: String) { self.address = address }

  /// What one client has of the address space: of IPv4 an address, also where it is written as one of IPv6, and of IPv6 a
  /// network of 64 bits, within which it may take a new address for each connection (RFC 4291, section 2.5.4). Text that
  /// is no address stays as it is.
  public static func network(of address: String) -> String {
    var parsed = in6_addr()
    guard address.utf8.contains(UInt8(ascii: ":")), inet_pton(AF_INET6, address, &parsed) == 1 else { return address }
    var bytes = withUnsafeBytes(of: parsed) { Array($0) }
    if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
      return bytes[12...].map { String($0) }.joined(separator: ".")
    }
    bytes.replaceSubrange(8..., with: repeatElement(0, count: 8))
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    inet_ntop(AF_INET6, bytes, &text, socklen_t(text.count))
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) + "/64"
  }
}
