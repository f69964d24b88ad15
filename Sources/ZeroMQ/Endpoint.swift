// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// What an endpoint's text says.
public enum Endpoint {
  /// Whether libzmq can use it without resolving a name.
  public static func isNumeric(_ endpoint: String) -> Bool {
    guard endpoint.hasPrefix("tcp://") else { return true }
    var host = endpoint.dropFirst(6)
    guard let colon = host.lastIndex(of: ":") else { return false }
    host = host[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      var address = in6_addr()
      return inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address) == 1
    }
    var address = in_addr()
    return inet_pton(AF_INET, String(host), &address) == 1
  }

  /// Whether only programs of this machine can reach it.
  public static func isLocal(_ endpoint: String) -> Bool {
    if endpoint.hasPrefix("ipc://") || endpoint.hasPrefix("inproc://") { return true }
    return endpoint.hasPrefix("tcp://127.") || endpoint.hasPrefix("tcp://[::1]:")
  }

  /// The file behind an `ipc://` endpoint.
  public static func ipcPath(_ endpoint: String) -> String? {
    guard endpoint.hasPrefix("ipc://"), !endpoint.hasPrefix("ipc://@"), endpoint != "ipc://*" else { return nil }
    return String(endpoint.dropFirst(6))
  }
}
