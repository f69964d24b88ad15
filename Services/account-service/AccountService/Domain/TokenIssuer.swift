// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import JSONRPC
internal import SettingsContracts

/// Makes tokens of stored sessions, and reads them back.
///
/// Tokens are functions of a session and a key, so they are stored nowhere, neither in the session's row nor in a reply
/// kept for repeats, and a repeated call gets the same ones again.
struct TokenIssuer: Sendable {
  /// The first part of every refresh token: `rt1.<app>.<session>.<number>.<code>`, where the code is an HMAC-SHA256 over
  /// what stands before it, in base64url.
  static let refreshPrefix = "rt1"
  /// Longer texts are refused unread.
  static let byteLimit = 2048

  let keys: SigningKeys

  /// An access token of the session, good until its `tokenUntil`.
  func accessToken(_ session: Session) throws -> String {
    let claims = TokenClaims(
      kid: keys.current.kid, sid: session.sessionId, app: session.app, sub: session.accountId,
      device: session.deviceId, generation: session.generation,
      authTime: session.authenticatedAt.map { $0.milliseconds / 1000 },
      exp: session.tokenUntil.milliseconds / 1000)
    return SignedText.sign(try JSON.encode(claims), prefix: TokenClaims.prefix, with: keys.current.signing)
  }

  /// The refresh token that is good now.
  func refreshToken(_ session: Session) -> String {
    let text = "\(Self.refreshPrefix).\(session.app).\(session.sessionId).\(session.refreshCount)"
    return "\(text).\(Base64URL.encode(keys.current.refresh.authenticate(Array(text.utf8))))"
  }

  /// Both tokens, as callers get them.
  func grant(_ session: Session, revision: Int64? = nil, entryId: String? = nil) throws -> SessionGrant {
    SessionGrant(
      sessionId: session.sessionId, deviceId: session.deviceId, token: try accessToken(session),
      refreshToken: refreshToken(session), expiresAt: session.tokenUntil, revision: revision, entryId: entryId)
  }

  /// The claims of an access token that one of the keys signed and that has not expired. Whether its session has ended
  /// is for the store to say.
  func verify(_ token: String, now: Timestamp) -> TokenClaims? {
    guard token.utf8.count <= Self.byteLimit, let signed = SignedText(token, prefix: TokenClaims.prefix),
      let claims = try? JSON.decode(TokenClaims.self, from: signed.payload), let key = keys.key(claims.kid),
      signed.isSigned(by: key.signing.publicKey), now < claims.expiresAt
    else { return nil }
    return claims
  }

  /// What a refresh token names.
  struct RefreshToken: Sendable, Hashable {
    var app: String
    var sessionId: String
    var number: Int64
  }

  /// Nil unless one of the keys made it.
  func readRefreshToken(_ text: String) -> RefreshToken? {
    guard text.utf8.count <= Self.byteLimit else { return nil }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0] == Self.refreshPrefix, let number = Int64(parts[3]), number >= 0,
      String(number) == parts[3], let code = Base64URL.decode(parts[4])
    else { return nil }
    let made = Array(text.utf8.prefix(text.utf8.count - parts[4].utf8.count - 1))
    guard keys.keys.contains(where: { $0.refresh.isValid(code, for: made) }) else { return nil }
    return RefreshToken(app: String(parts[1]), sessionId: String(parts[2]), number: number)
  }
}
