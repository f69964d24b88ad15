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
  init(of connection: OpaquePointer, version: UnsafePointer<CChar>) {
    needsHost = strcmp(version, "HTTP/1.0") != 0
    MHD_get_connection_values(
      connection, .HEADER_KIND,
      { context, _, name, value in
        context!.assumingMemoryBound(to: Framing.self).pointee.see(name!, value)
        return .YES
      }, &self)
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

  private mutating func see(_ name: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>?) {
    if strpbrk(name, " \t") != nil { hasSpacedName = true }
    // Lengths first: most headers are none of these three.
    switch strlen(name) {
    case 4 where strcasecmp(name, "Host") == 0: hosts += 1
    case 14 where strcasecmp(name, "Content-Length") == 0:
      contentLengths += 1
      contentLength = value.map { Int(atoll($0)) }
    case 17 where strcasecmp(name, "Transfer-Encoding") == 0:
      transferEncodings += 1
      isChunked = value.map { strcasecmp($0, "chunked") == 0 } ?? false
    default: break
    }
  }
}
