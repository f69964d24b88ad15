// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Cryptography
import JSONRPC
import RPC
import SettingsContracts
import Testing

@testable import AccountService

@Suite("Tokens")
struct TokenIssuerTests {
  let issuer = TokenIssuer(keys: SigningKeys([try! SigningKeys.Key(seed: Array(repeating: 7, count: 32))]))
  let now = Timestamp(milliseconds: 1_800_000_000_123)

  var session: Session {
    Session(
      app: "default", sessionId: "01s", accountId: "maya", deviceId: "01d", generation: 2, authenticatedAt: now,
      now: now)
  }

  @Test("say whose they are, until 15 minutes later")
  func claims() throws {
    let token = try issuer.accessToken(session)
    let claims = try #require(issuer.verify(token, now: now))
    #expect(claims.sub == "maya")
    #expect(claims.device == "01d")
    #expect(claims.sid == "01s")
    #expect(claims.app == "default")
    #expect(claims.generation == 2)
    #expect(claims.authTime == 1_800_000_000)
    #expect(claims.exp == 1_800_000_900)
    #expect(issuer.verify(token, now: Timestamp(milliseconds: 1_800_000_899_999)) != nil)
    #expect(issuer.verify(token, now: Timestamp(milliseconds: 1_800_000_900_000)) == nil)
    #expect(claims.principal.kind == .user)
  }

  @Test("of a device before sign-in name no account")
  func device() throws {
    var device = session
    device.accountId = nil
    device.authenticatedAt = nil
    let claims = try #require(issuer.verify(issuer.accessToken(device), now: now))
    #expect(claims.sub == nil)
    #expect(claims.authTime == nil)
    #expect(claims.principal.kind == .device)
    #expect(claims.principal.deviceId == "01d")
  }

  @Test("are the same for the same session")
  func deterministic() throws {
    #expect(try issuer.accessToken(session) == issuer.accessToken(session))
    #expect(issuer.refreshToken(session) == issuer.refreshToken(session))
  }

  @Test("of another key are refused, those of a key that was replaced are not")
  func rotation() throws {
    let newer = try SigningKeys.Key(seed: Array(repeating: 8, count: 32))
    let other = TokenIssuer(keys: SigningKeys([newer]))
    let token = try issuer.accessToken(session)
    #expect(other.verify(token, now: now) == nil)
    #expect(other.readRefreshToken(issuer.refreshToken(session)) == nil)
    let both = TokenIssuer(keys: SigningKeys([newer] + issuer.keys.keys))
    #expect(both.verify(token, now: now) != nil)
    #expect(both.readRefreshToken(issuer.refreshToken(session)) != nil)
    #expect(try both.accessToken(session) != token)
  }

  @Test("signed for something else or by nobody are refused")
  func forged() throws {
    let claims = TokenClaims(
      kid: issuer.keys.current.kid, sid: "01s", app: "default", sub: "maya", device: "01d", generation: 2,
      authTime: nil,
      exp: 4_000_000_000)
    let payload = try JSON.encode(claims)
    let key = issuer.keys.current.signing
    #expect(issuer.verify(SignedText.sign(payload, prefix: "at1", with: key), now: now) != nil)
    #expect(issuer.verify(SignedText.sign(payload, prefix: "th1", with: key), now: now) == nil)
    let stranger = Ed25519.SigningKey.generate().key
    #expect(issuer.verify(SignedText.sign(payload, prefix: "at1", with: stranger), now: now) == nil)
    let head = "at1.\(Base64URL.encode(payload))"
    // An HMAC under the public key: the classic confusion of algorithms.
    let code = HMACSHA256.authenticate(Array(head.utf8), key: key.publicKey.bytes)
    #expect(issuer.verify("\(head).\(Base64URL.encode(code))", now: now) == nil)
    #expect(issuer.verify("\(head).", now: now) == nil)
    #expect(issuer.verify(head, now: now) == nil)
    #expect(issuer.verify(SignedText.sign(Array("{}".utf8), prefix: "at1", with: key), now: now) == nil)
    #expect(issuer.verify("", now: now) == nil)
    #expect(issuer.verify(String(repeating: "a", count: 100_000), now: now) == nil)
  }

  @Test("for refreshing name their session and number, and no change of any is believed")
  func refreshTokens() {
    let token = issuer.refreshToken(session)
    #expect(
      issuer.readRefreshToken(token) == TokenIssuer.RefreshToken(app: "default", sessionId: "01s", number: 0))
    let parts = token.split(separator: ".").map(String.init)
    for (index, forged) in [
      (0, "rt2"), (1, "other"), (2, "01t"), (3, "1"), (3, "00"), (3, "-1"), (3, "+0"), (4, "AAAA"),
    ] {
      var changed = parts
      changed[index] = forged
      #expect(issuer.readRefreshToken(changed.joined(separator: ".")) == nil)
    }
    for count in 0..<token.utf8.count { #expect(issuer.readRefreshToken(String(token.prefix(count))) == nil) }
    #expect(issuer.readRefreshToken(token + "A") == nil)
    #expect(issuer.readRefreshToken(token + ".") == nil)
    #expect(issuer.readRefreshToken(String(repeating: ".", count: 5000)) == nil)
  }
}

@Suite("Token claims")
struct TokenClaimsTests {
  @Test(
    "with times that no clock shows end no process",
    arguments: [
      (Int64.max, 253_402_300_799_000), (Int64.min, 0), (-1, 0), (Int64.max / 1000 + 1, 253_402_300_799_000),
      (1_800_000_000, 1_800_000_000_000),
    ] as [(Int64, Int64)])
  func times(seconds: Int64, milliseconds: Int64) throws {
    let claims = TokenClaims(
      kid: "k", sid: "s", app: "a", sub: "u", device: "d", generation: 1, authTime: seconds, exp: seconds)
    #expect(claims.expiresAt.milliseconds == milliseconds)
    #expect(claims.principal.authTime?.milliseconds == milliseconds)
    #expect(throws: Never.self) { try JSON.encode(claims.principal) }
  }
}
