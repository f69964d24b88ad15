// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// What an endpoint's text says.
public enum Endpoint {
  /// Whether libzmq can use it without resolving a name.
  public static func isNumeric(_ endpoint: String) -> Bool {
    guard endpoint.hasPrefix("tcp://") else { return true }
    guard let (host, _) = hostAndPort(endpoint) else { return false }
    if host.hasPrefix("["), host.hasSuffix("]") {
      var address = in6_addr()
      return inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address) == 1
    }
    var address = in_addr()
    return inet_pton(AF_INET, host, &address) == 1
  }

  /// The parts of a tcp endpoint, as written; nil when it is none.
  public static func hostAndPort(_ endpoint: String) -> (host: String, port: String)? {
    guard endpoint.hasPrefix("tcp://"), let colon = endpoint.lastIndex(of: ":") else { return nil }
    let rest = endpoint.dropFirst(6)
    guard colon > rest.startIndex else { return nil }
    return (String(rest[..<colon]), String(rest[rest.index(after: colon)...]))
  }

  /// Whether only programs of this machine can reach it.
  public static func isLocal(_ endpoint: String) -> Bool {
    if endpoint.hasPrefix("ipc://") || endpoint.hasPrefix("inproc://") { return true }
    if endpoint.hasPrefix("tcp://127.") || endpoint.hasPrefix("tcp://[::1]:") { return isNumeric(endpoint) }
    return endpoint.hasPrefix("tcp://localhost:")
  }

  /// The file behind an `ipc://` endpoint.
  public static func ipcPath(_ endpoint: String) -> String? {
    guard endpoint.hasPrefix("ipc://"), !endpoint.hasPrefix("ipc://@"), endpoint != "ipc://*" else { return nil }
    return String(endpoint.dropFirst(6))
  }
}
