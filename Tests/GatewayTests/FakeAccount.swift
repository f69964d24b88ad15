// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Cryptography
import JSONRPC
import RPC
import SettingsContracts
import Threading

/// What account-service knows of credentials: makes keys and tokens, and tells gateways by `account.authChanges`.
final class FakeAccount: Sendable {
  private struct State {
    var changes: [AuthChanges] = []
    var keys: [String: AuthKey] = [:]
  }
  private let state = Lock(State())
  private let signer = Ed25519.SigningKey.generate().key
  /// Pages of a whole load.
  private let pageSize: Int

  init(_ service: FakeService, pageSize: Int = 100) {
    self.pageSize = pageSize
    add(
      AuthChanges(
        cursor: "", publicKeys: [AuthPublicKey(kid: "k1", publicKey: Base64URL.encode(signer.publicKey.bytes))]))
    add(
      AuthChanges(
        cursor: "",
        apps: [
          AuthApp(app: "default", publishableKey: "pk", origins: ["https://app.example"], defaultLocale: "en")
        ]))
    service.on(AccountMethods.authChanges.name) { [self] params, context in
      guard context.principal.kind == .service, context.principal.name == "gateway" else {
        throw RPCError.permissionDenied("for the gateway")
      }
      return try JSON.decode(JSONValue.self, from: JSON.encode(changes(since: params["cursor"]?.stringValue)))
    }
  }

  func publish(_ app: AuthApp) { add(AuthChanges(cursor: "", apps: [app])) }

  private func add(_ change: AuthChanges) { state.withLock { $0.changes.append(change) } }

  private func changes(since cursor: String?) -> AuthChanges {
    state.withLock { state in
      let start = cursor.flatMap { Int($0) } ?? 0
      let taken = state.changes[start...].prefix(pageSize)
      var page = AuthChanges(cursor: String(start + taken.count))
      if cursor == nil { page.reset = true }
      if start + taken.count < state.changes.count { page.more = true }
      for change in taken {
        page.keys += change.keys
        page.apps += change.apps
        page.publicKeys += change.publicKeys
        page.revocations += change.revocations
      }
      return page
    }
  }

  /// A new key's text.
  func makeKey(
    _ name: String, scopes: [KeyScope]? = nil, role: KeyRole? = nil, app: String = "default",
    expiresAt: Timestamp? = nil
  ) -> String {
    let text = Random.secret()
    let key = AuthKey(
      app: app, keyId: name, hash: Hex.encode(SHA256.hash(text)), name: name, scopes: scopes, role: role,
      expiresAt: expiresAt)
    state.withLock { $0.keys[name] = key }
    add(AuthChanges(cursor: "", keys: [key]))
    return text
  }

  func revokeKey(_ name: String) {
    var key = state.withLock { $0.keys[name]! }
    key.revoked = true
    add(AuthChanges(cursor: "", keys: [key]))
  }

  func endSession(_ id: String) {
    add(
      AuthChanges(
        cursor: "",
        revocations: [
          AuthRevocation(app: "default", sessionId: id, until: SystemClock().now() + 900_000)
        ]))
  }

  func makeToken(
    account: String? = "maya", device: String = "phone", session: String = "s1", expiresIn seconds: Int64 = 900,
    signer other: Ed25519.SigningKey? = nil, kid: String = "k1"
  ) -> String {
    let now = SystemClock().now().milliseconds / 1000
    let claims = TokenClaims(
      kid: kid, sid: session, app: "default", sub: account, device: device, generation: 1,
      authTime: account == nil ? nil : now, exp: now + seconds)
    return SignedText.sign(try! JSON.encode(claims), prefix: TokenClaims.prefix, with: other ?? signer)
  }
}
