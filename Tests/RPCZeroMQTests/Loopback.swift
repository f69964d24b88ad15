// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Threading

/// A TCP connection to this machine.
func connect(toLoopback port: UInt16) throws -> CInt {
  let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
  let code = withLoopback(port) { Glibc.connect(descriptor, $0, $1) }
  guard code == 0 else {
    close(descriptor)
    throw NothingCame()
  }
  return descriptor
}

private func withLoopback<R>(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = inet_addr("127.0.0.1")
  return withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
  }
}

/// Stands between a client and a server and keeps every byte that passes, of both directions.
final class RecordingProxy: Sendable {
  let endpoint: String
  private let bytes = Lock<[UInt8]>([])
  private let listener: CInt

  init(to server: String) throws {
    let serverPort = UInt16(server.split(separator: ":").last!)!
    let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    guard withLoopback(0, { bind(listener, $0, $1) }) == 0, listen(listener, 16) == 0 else { throw NothingCame() }
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
      _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &size) }
    }
    self.listener = listener
    endpoint = "tcp://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
    startThread(named: "proxy") { [bytes] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0, let upstream = try? connect(toLoopback: serverPort) else { return }
        for (from, to) in [(client, upstream), (upstream, client)] {
          startThread(named: "pass") { RecordingProxy.pass(from, to, bytes) }
        }
      }
    }
  }

  deinit {
    shutdown(listener, CInt(SHUT_RDWR))
    close(listener)
  }

  var recorded: [UInt8] { bytes.withLock { $0 } }

  private static func pass(_ from: CInt, _ to: CInt, _ bytes: Lock<[UInt8]>) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(from, &buffer, buffer.count)
      guard count > 0 else { break }
      let chunk = buffer[..<count]
      bytes.withLock { $0 += chunk }
      guard send(to, Array(chunk), count, CInt(MSG_NOSIGNAL)) == count else { break }
    }
    shutdown(to, CInt(SHUT_WR))
  }
}
