// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CMicroHTTPD
internal import Glibc

/// What a request's headers say of its body and its host. libmicrohttpd 0.9.75 takes the first of two Content-Lengths, lets
/// Transfer-Encoding win over Content-Length and reads an unknown coding until the connection closes, all without a word;
/// another server in front may see a different request there. A missing Host it could refuse by itself, but it sends the
/// head of its own error answers twice.
struct Framing {
  private var contentLengths = 0
  private var transferEncodings = 0
  private var hosts = 0
  private var isChunked = false
  private var hasSpacedName = false
  private var needsHost: Bool
  private(set) var contentLength: Int?

  /// - Parameter version: of the protocol, as the request line says it.
  init(of headers: [HeaderField], version: UnsafePointer<CChar>) {
    needsHost = strcmp(version, "HTTP/1.0") != 0
    for field in headers { see(field) }
  }

  var refusal: HTTPRefusal? {
    if contentLengths > 1 { return .ambiguous("Content-Length is given twice") }
    if contentLengths > 0 && transferEncodings > 0 {
      return .ambiguous("Content-Length and Transfer-Encoding exclude each other")
    }
    if transferEncodings > 1 { return .ambiguous("Transfer-Encoding is given twice") }
    if hosts > 1 { return .ambiguous("Host is given twice") }
    if hosts == 0 && needsHost { return .ambiguous("Host is missing") }
    if hasSpacedName { return .ambiguous("a header's name holds white space") }
    if transferEncodings == 1 && !isChunked { return .unknownTransferCoding }
    return nil
  }

  private mutating func see(_ field: HeaderField) {
    if strpbrk(field.name, " \t") != nil { hasSpacedName = true }
    if field.isNamed("Host") {
      hosts += 1
    } else if field.isNamed("Content-Length") {
      contentLengths += 1
      contentLength = field.value.map { Int(atoll($0)) }
    } else if field.isNamed("Transfer-Encoding") {
      transferEncodings += 1
      isChunked = field.value.map { strcasecmp($0, "chunked") == 0 } ?? false
    }
  }
}
