// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A listening TCP socket, opened by us so that a used port is told by its address.
enum ListenSocket {
  /// Bytes of a response that the kernel takes of one connection whose client does not read, bookkeeping apart (it allows
  /// itself twice as many). Left to itself it takes up to 4 MiB, which nobody bounds for all connections together.
  private static let sendBuffer: CInt = 64 << 10

  /// - Returns: the descriptor and the port it is bound to.
  static func open(address: String, port: UInt16) throws(HTTPServerError) -> (descriptor: CInt, port: UInt16) {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_NUMERICHOST | AI_PASSIVE
    var found: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(address, String(port), &hints, &found)
    guard code == 0, let info = found?.pointee else {
      throw HTTPServerError(description: "\(address) is not a numeric IPv4 or IPv6 address")
    }
    defer { freeaddrinfo(found) }
    let type = info.ai_socktype | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(info.ai_family, type, info.ai_protocol)
    guard descriptor >= 0 else { throw failure(address, port) }
    var on: CInt = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<CInt>.size))
    // Connections have it from their listener.
    var sendBuffer = sendBuffer
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &sendBuffer, socklen_t(MemoryLayout<CInt>.size))
    guard bind(descriptor, info.ai_addr, info.ai_addrlen) == 0, listen(descriptor, 1024) == 0 else {
      let failed = failure(address, port)
      close(descriptor)
      throw failed
    }
    return (descriptor, boundPort(descriptor))
  }

  private static func boundPort(_ descriptor: CInt) -> UInt16 {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &length) }
      // The port has the same place in sockaddr_in and sockaddr_in6.
      return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin_port) }
    }
  }

  private static func failure(_ address: String, _ port: UInt16) -> HTTPServerError {
    HTTPServerError(description: "\(address):\(port): \(String(cString: strerror(errno)))")
  }
}
