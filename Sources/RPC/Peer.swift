// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC

/// Where a request came in, as far as the transport can vouch for it. Decides whose call it is.
public enum Peer: Sendable, Hashable {
  /// CURVE key with the role `gateway`: its word on who calls is taken.
  case gateway
  /// CURVE key of a service, by its name: it acts as itself and nobody else.
  case service(String)
  /// CURVE key of an operator: acts as a key with the role `operator`.
  case `operator`
  /// CURVE key of a client of the gateway's ZeroMQ face, by its name. No credential.
  case client(String)
  /// ipc in a folder only this user can enter: believed like the gateway.
  case local
  /// Anyone: `principal` is refused.
  case unknown

  /// Whose call it is.
  /// - Parameter claimed: the metadata's `principal`.
  /// - Returns: nil for a caller without a credential.
  /// - Throws: PERMISSION_DENIED when this peer may not claim that.
  @inline(__always)
  func caller(claiming claimed: Caller?) throws(RPCError) -> Caller? {
    switch self {
    case .gateway, .local: claimed
    case .service(let name):
      try own(Principal(kind: .service, app: claimed?.principal.app ?? "default", name: name), claimed)
    case .operator: try own(Principal(kind: .key, name: "operator", role: "operator"), claimed)
    case .client, .unknown: try own(nil, claimed)
    }
  }

  private func own(_ own: Principal?, _ claimed: Caller?) throws(RPCError) -> Caller? {
    guard claimed == nil || claimed?.principal == own else {
      throw .permissionDenied("a principal is not accepted from this peer", reason: "principalRefused")
    }
    return claimed ?? own.map(Caller.init)
  }
}
