// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CZeroMQ
internal import Glibc

/// A TCP port that listens, made here rather than by libzmq, so that a second listener can share it: while keys change,
/// connections of the old and of the new pair come in through one port.
public struct ListeningPort {
  let descriptor: CInt

  /// - Parameter endpoint: `tcp://` with a numeric address or `*`, and a port number or `*`.
  /// - Throws: `EINVAL` for anything else; `addressInUse`.
  public init(_ endpoint: String) throws(ZeroMQError) {
    guard let address = SocketAddress(endpoint) else { throw ZeroMQError(code: EINVAL) }
    descriptor = try ListeningPort.listen(on: address, sharing: false)
  }

  private init(descriptor: CInt) { self.descriptor = descriptor }

  /// A second listener on the same port; the kernel deals new connections out to both.
  /// - Precondition: the socket that was bound to this one is open.
  public func beside() throws(ZeroMQError) -> ListeningPort {
    guard let address = SocketAddress(of: descriptor) else { throw .current }
    var yes: CInt = 1
    try ZeroMQError.check(
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &yes, socklen_t(MemoryLayout<CInt>.size)))
    return ListeningPort(descriptor: try ListeningPort.listen(on: address, sharing: true))
  }

  /// As `SocketOption.sendBuffer`, which does not reach a listener that libzmq has not made; its connections have it from it.
  public func setSendBuffer(_ bytes: Int) {
    var bytes = CInt(clamping: bytes)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<CInt>.size))
  }

  private static func listen(on address: SocketAddress, sharing: Bool) throws(ZeroMQError) -> CInt {
    let descriptor = socket(
      CInt(address.family), CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    try ZeroMQError.check(descriptor)
    var yes: CInt = 1
    let size = socklen_t(MemoryLayout<CInt>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, size)
    if sharing { setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &yes, size) }
    guard address.withPointer({ Glibc.bind(descriptor, $0, $1) }) == 0,
      Glibc.listen(descriptor, CInt(SocketDefaults.backlog)) == 0
    else {
      let error = ZeroMQError(code: errno)
      Glibc.close(descriptor)
      throw error
    }
    return descriptor
  }
}

extension Socket {
  /// Binds a port made by `ListeningPort`, which is libzmq's from now on: it is closed with the socket.
  /// - Returns: the endpoint as bound.
  public func bind(_ port: ListeningPort) throws(ZeroMQError) -> String {
    do throws(ZeroMQError) {
      guard let address = SocketAddress(of: port.descriptor) else { throw .current }
      try set(.useDescriptor, Int(port.descriptor))
      // What the address says does not matter, but it must be one.
      return try bind(address.endpoint)
    } catch {
      Glibc.close(port.descriptor)
      throw error
    }
  }
}

/// An IPv4 or IPv6 address with its port.
struct SocketAddress {
  private var storage = sockaddr_storage()
  private var size = socklen_t(MemoryLayout<sockaddr_storage>.size)

  var family: sa_family_t { storage.ss_family }

  /// Of an endpoint such as `tcp://127.0.0.1:5570`, `tcp://*:5570` or `tcp://[::1]:*`.
  init?(_ endpoint: String) {
    guard endpoint.hasPrefix("tcp://") else { return nil }
    let rest = endpoint.dropFirst(6)
    guard let colon = rest.lastIndex(of: ":") else { return nil }
    let host = rest[..<colon]
    let portText = rest[rest.index(after: colon)...]
    guard let port = portText == "*" ? 0 : UInt16(portText) else { return nil }
    if host.hasPrefix("["), host.hasSuffix("]") {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      guard inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address.sin6_addr) == 1 else { return nil }
      withUnsafeBytes(of: address) { store($0) }
    } else {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      guard inet_pton(AF_INET, host == "*" ? "0.0.0.0" : String(host), &address.sin_addr) == 1 else { return nil }
      withUnsafeBytes(of: address) { store($0) }
    }
  }

  /// That a socket is bound to; nil when the descriptor is no socket.
  init?(of descriptor: CInt) {
    let code = withUnsafeMutablePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    guard code == 0 else { return nil }
  }

  private mutating func store(_ bytes: UnsafeRawBufferPointer) {
    size = socklen_t(bytes.count)
    withUnsafeMutableBytes(of: &storage) { $0.copyMemory(from: bytes) }
  }

  func withPointer<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
    withUnsafePointer(to: storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, size) }
    }
  }

  /// `tcp://` and numbers.
  var endpoint: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    return withUnsafeBytes(of: storage) { bytes in
      if CInt(family) == AF_INET6 {
        var address = bytes.loadUnaligned(as: sockaddr_in6.self)
        inet_ntop(AF_INET6, &address.sin6_addr, &text, socklen_t(text.count))
        return "tcp://[\(SocketAddress.string(text))]:\(UInt16(bigEndian: address.sin6_port))"
      }
      var address = bytes.loadUnaligned(as: sockaddr_in.self)
      inet_ntop(AF_INET, &address.sin_addr, &text, socklen_t(text.count))
      return "tcp://\(SocketAddress.string(text)):\(UInt16(bigEndian: address.sin_port))"
    }
  }

  private static func string(_ text: [CChar]) -> String {
    String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
