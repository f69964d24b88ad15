// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC
internal import SettingsContracts

/// A credential that was found good, with what is sent to services on its behalf. Used on the socket thread only.
final class Credential {
  /// What can end it before its time.
  enum Basis {
    case none
    case key(hash: String)
    case session(app: String, id: String)
  }

  let principal: Principal
  /// `"principal":{…}`: the start of the metadata of every call made with it.
  let metadataMember: [UInt8]
  let basis: Basis
  /// The first moment at which it is refused.
  let expiresAt: Timestamp?
  /// The directory's version in which it was last found good.
  var checkedVersion: UInt64
  /// What its owner uses of the gateway: see `CallerUsages`.
  var usage: Usage?

  init(_ principal: Principal, _ basis: Basis, expiresAt: Timestamp?, version: UInt64) {
    self.principal = principal
    self.basis = basis
    self.expiresAt = expiresAt
    checkedVersion = version
    metadataMember = Array("\"principal\":".utf8) + ((try? JSON.encode(principal)) ?? [])
  }

  /// No credential at all.
  static func anonymous() -> Credential { Credential(.anonymous, .none, expiresAt: nil, version: 0) }

  /// In place of one: what a connection with an operator's CURVE key may do.
  static func bus(operator name: String) -> Credential {
    Credential(Principal(kind: .key, name: name, role: "operator"), .none, expiresAt: nil, version: 0)
  }

  convenience init(_ key: AuthKey, version: UInt64) {
    self.init(
      Principal(
        kind: .key, app: key.app, name: key.name, scopes: key.scopes?.map(\.rawValue), role: key.role?.rawValue),
      .key(hash: key.hash), expiresAt: key.expiresAt, version: version)
  }

  convenience init(_ claims: TokenClaims, version: UInt64) {
    self.init(
      claims.principal, .session(app: claims.app, id: claims.sid), expiresAt: claims.expiresAt, version: version)
  }
}
