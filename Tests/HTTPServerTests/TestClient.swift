// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A TCP client that sends exactly the bytes it is given and reads responses off the stream.
final class TestClient {
  struct Response: Equatable {
    var status: Int
    var headers: [String: String]
    var body: String
  }

  private let socket: CInt
  private var buffer: [UInt8] = []

  /// - Parameter source: the last number of the address to come from, 127.0.0.x.
  init(port: UInt16, from source: UInt32 = 1) {
    socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var patience = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    // Left to the system where it may be, as it then has more ports to choose from.
    if source != 1 {
      let code = TestClient.with(source, 0) { bind(socket, $0, $1) }
      precondition(code == 0, "bind failed with \(errno)")
    }
    let code = TestClient.with(1, port) { connect(socket, $0, $1) }
    precondition(code == 0, "connect failed with \(errno)")
  }

  private static func with(
    _ number: UInt32, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
  ) -> CInt {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = (0x7f00_0000 + number).bigEndian
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }

  deinit { close() }

  private var isClosed = false
  func close() {
    if !isClosed { Glibc.close(socket) }
    isClosed = true
  }

  /// Closes with a reset instead of a FIN.
  func reset() {
    var now = linger(l_onoff: 1, l_linger: 0)
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  /// Whether something has come that was not read, or the end.
  var hasInput: Bool {
    var polled = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, 0) > 0
  }

  func finishSending() { shutdown(socket, CInt(SHUT_WR)) }

  func send(_ text: String) { send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress! + sent, bytes.count - sent, CInt(MSG_NOSIGNAL))
      }
      if count <= 0 { return }
      sent += count
    }
  }

  /// The next bytes, or nothing at the end.
  private func fill() -> Bool {
    var piece = [UInt8](repeating: 0, count: 65_536)
    let count = recv(socket, &piece, piece.count, 0)
    if count > 0 { buffer += piece[..<count] }
    return count > 0
  }

  func line() -> String? {
    while true {
      if let end = buffer.firstIndex(of: 10) {
        let line = String(decoding: buffer[..<end].filter { $0 != 13 }, as: UTF8.self)
        buffer.removeSubrange(...end)
        return line
      }
      if !fill() { return nil }
    }
  }

  private func bytes(_ count: Int) -> String? {
    while buffer.count < count { if !fill() { return nil } }
    defer { buffer.removeFirst(count) }
    return String(decoding: buffer[..<count], as: UTF8.self)
  }

  func head() -> Response? {
    guard let first = line() else { return nil }
    let parts = first.split(separator: " ")
    guard parts.count >= 2, let status = Int(parts[1]) else { return nil }
    var response = Response(status: status, headers: [:], body: "")
    while let line = line(), !line.isEmpty {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      response.headers[line[..<colon].lowercased()] = String(value)
    }
    return response
  }

  func chunk() -> String? {
    guard let size = line().flatMap({ Int($0, radix: 16) }), let text = bytes(size), line() == "" else { return nil }
    return text
  }

  /// The next response, or nil when the server closed the connection instead.
  func response(bodyless: Bool = false) -> Response? {
    guard var response = head() else { return nil }
    if bodyless { return response }
    if response.headers["transfer-encoding"] == "chunked" {
      while let piece = chunk(), !piece.isEmpty { response.body += piece }
    } else if let length = response.headers["content-length"].flatMap({ Int($0) }) {
      guard let body = bytes(length) else { return nil }
      response.body = body
    }
    return response
  }

  /// Whether the server has closed, with nothing more to read.
  var isAtEnd: Bool { buffer.isEmpty && !fill() }
}
