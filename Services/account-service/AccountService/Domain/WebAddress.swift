// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC

/// Addresses of web pages and origins that an app publishes.
enum WebAddress {
  private static let byteLimit = 2048

  /// An `https` address, or `http` of this machine; without user, and with visible ASCII only.
  /// - Throws: INVALID_PARAMS.
  static func page(_ value: String, _ field: String) throws(RPCError) -> String {
    guard value.utf8.count <= byteLimit,
      value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !#""<>\^`{|}"#.utf8.contains($0) }),
      let authority = authority(of: value), isHost(authority)
    else { throw .invalidParams(field, "must be an https address, such as https://app.example/privacy") }
    return value
  }

  /// As `page`, without query and fragment, and without the slash at its end: other addresses begin with it.
  /// - Throws: INVALID_PARAMS.
  static func base(_ value: String, _ field: String) throws(RPCError) -> String {
    var base = try page(value, field)
    guard !base.contains("?"), !base.contains("#") else {
      throw .invalidParams(field, "must have no query and no fragment")
    }
    while base.hasSuffix("/") { base.removeLast() }
    return base
  }

  /// Scheme, host and port alone, in lower case, as browsers send it in `Origin`.
  /// - Throws: INVALID_PARAMS.
  static func origin(_ value: String, _ field: String) throws(RPCError) -> String {
    let origin = try page(value, field).lowercased()
    guard let authority = authority(of: origin), origin.hasSuffix("//" + authority) else {
      throw .invalidParams(field, "must be an origin, such as https://app.example, without a path")
    }
    return origin
  }

  /// Host and port; nil for other schemes, and for http beyond this machine.
  private static func authority(of address: String) -> String? {
    let lower = address.lowercased()
    for scheme in ["https://", "http://"] where lower.hasPrefix(scheme) {
      let authority = String(lower.dropFirst(scheme.count).prefix { !"/?#".contains($0) })
      return scheme == "https://" || isLoopback(authority) ? authority : nil
    }
    return nil
  }

  private static func isLoopback(_ authority: String) -> Bool {
    let host = authority.hasPrefix("[") ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
    return ["localhost", "127.0.0.1", "[::1]"].contains(host) || host.hasSuffix(".localhost")
  }

  private static func isHost(_ authority: String) -> Bool {
    var host = authority[...]
    if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") {
      guard let port = Int(host[host.index(after: colon)...]), (1...65535).contains(port) else { return false }
      host = host[..<colon]
    }
    if host == "localhost" || host == "[::1]" { return true }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    return host.utf8.count <= 253
      && labels.allSatisfy { label in
        (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
          && label.utf8.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
              || $0 == UInt8(ascii: "-")
          }
      }
  }
}
