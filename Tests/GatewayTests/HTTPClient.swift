// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSONRPC

/// One kept-alive HTTP connection.
///
/// Unchecked Sendable: a test uses it for one thing at a time.
final class HTTPClient: @unchecked Sendable {
  struct Response: Sendable {
    var status: Int
    var headers: [String: String]
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
    var json: JSONValue { (try? JSON.decode(JSONValue.self, from: body)) ?? .null }
    /// Of a JSON-RPC response.
    var result: JSONValue? { json["result"] }
    var error: JSONValue? { json["error"] }
    var code: Int64? { error?["code"]?.integerValue }
    var reason: String? { error?["data"]?["reason"]?.stringValue }
  }

  /// False when nobody listens; every answer is nil then.
  let isConnected: Bool
  private let socket: CInt
  private var buffer: [UInt8] = []
  private var isClosed = false

  init(port: UInt16) {
    let socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    self.socket = socket
    var patience = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    isConnected = code == 0
  }

  deinit { close() }

  func close() {
    if !isClosed { Glibc.close(socket) }
    isClosed = true
  }

  func send(_ method: String, _ path: String, _ body: String = "", headers: [String: String] = [:]) {
    var text = "\(method) \(path) HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.utf8.count)\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    let bytes = Array((text + "\r\n" + body).utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress! + sent, bytes.count - sent, CInt(MSG_NOSIGNAL))
      }
      if count <= 0 { return }
      sent += count
    }
  }

  func receive(bodyless: Bool = false) async throws -> Response? {
    try await offPool { [self] in response(bodyless: bodyless) }
  }

  private func response(bodyless: Bool) -> Response? {
    guard let first = line(), let status = Int(first.split(separator: " ")[1]) else { return nil }
    var response = Response(status: status, headers: [:], body: [])
    while let line = line(), !line.isEmpty {
      guard let colon = line.firstIndex(of: ":") else { continue }
      response.headers[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
    }
    let length = Int(response.headers["content-length"] ?? "") ?? 0
    while !bodyless, buffer.count < length { if !fill() { return nil } }
    if !bodyless {
      response.body = Array(buffer[..<length])
      buffer.removeFirst(length)
    }
    return response
  }

  func request(
    _ method: String, _ path: String, _ body: String = "", headers: [String: String] = [:]
  ) async throws -> Response? {
    send(method, path, body, headers: headers)
    return try await receive(bodyless: method == "HEAD")
  }

  private func line() -> String? {
    while true {
      if let end = buffer.firstIndex(of: 10) {
        let line = String(decoding: buffer[..<end].filter { $0 != 13 }, as: UTF8.self)
        buffer.removeSubrange(...end)
        return line
      }
      if !fill() { return nil }
    }
  }

  private func fill() -> Bool {
    var piece = [UInt8](repeating: 0, count: 65_536)
    let count = recv(socket, &piece, piece.count, 0)
    if count > 0 { buffer += piece[..<count] }
    return count > 0
  }
}
