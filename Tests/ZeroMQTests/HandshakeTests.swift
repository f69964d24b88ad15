// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import ZeroMQ

/// Peers that do not speak ZMTP.
@Suite struct HandshakeTests {
  @Test(arguments: ["", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\u{1}\u{2}\u{3}", String(repeating: "z", count: 10_000)])
  func `a connection that shakes no hands is closed, and others go on`(_ garbage: String) throws {
    let context = try Context()
    let router = try Socket(.router, in: context)
    try router.set(.handshakeInterval, 100)
    let endpoint = try router.bind("tcp://127.0.0.1:*")
    let port = UInt16(endpoint.split(separator: ":").last!)!
    let stranger = try connect(port)
    defer { close(stranger) }
    _ = garbage.withCString { write(stranger, $0, strlen($0)) }
    // Ends when the other side closes.
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while read(stranger, &buffer, buffer.count) > 0 {}
    let dealer = try Socket(.dealer, in: context)
    try dealer.connect(endpoint)
    try dealer.sendWhenPossible([text("still here")])
    // Text whose first byte is not 0xff is taken for ZMTP 1.0 with a routing id of that length, so it can get through.
    while try router.receiveWhenPossible().last != text("still here") {}
  }

  private func connect(_ port: UInt16) throws -> CInt {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(code == 0)
    return descriptor
  }
}
