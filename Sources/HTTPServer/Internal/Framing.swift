// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CMicroHTTPD
internal import Glibc

/// What a request's headers say of its body. libmicrohttpd 0.9.75 takes the first of two Content-Lengths, lets
/// Transfer-Encoding win over Content-Length and reads an unknown coding until the connection closes, all without a word;
/// another server in front may see a different request there.
struct Framing {
  private var contentLengths = 0
  private var transferEncodings = 0
  private var hosts = 0
  private var isChunked = false
  private(set) var contentLength: Int?

  init(of connection: OpaquePointer) {
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
    if transferEncodings == 1 && !isChunked { return .unknownTransferCoding }
    return nil
  }

  private mutating func see(_ name: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>?) {
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
