// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Cryptography
@testable import Gateway
import JSONRPC
import RPC
import RPCTesting
import SettingsContracts
import Testing

/// Who is believed, and until when.
@Suite(.timeLimit(.minutes(5))) struct AuthenticationTests {
  @Test func eachKindOfCallerIsToldToTheService() async throws {
    let world = try await World()
    try await world.ready()
    for credential in [world.person, world.device, world.checker] {
      #expect(try await world.call("consent.check", as: credential).status == 200)
    }
    let principals = world.consent.calls.map(\.context.principal)
    #expect(principals.map(\.kind) == [.user, .device, .key])
    #expect(principals.map(\.accountId) == ["maya", nil, nil])
    #expect(principals.map(\.deviceId) == ["phone", "tablet", nil])
    #expect(principals[2].name == "checker" && principals[2].scopes == ["check"])
  }

  struct Right: CustomTestStringConvertible {
    var caller: String
    var method: String
    var isLetIn: Bool
    var testDescription: String { "\(caller) \(isLetIn ? "may" : "may not") \(method)" }
  }
  @Test(arguments: [
    Right(caller: "nobody", method: "consent.catalog", isLetIn: true),
    Right(caller: "nobody", method: "consent.get", isLetIn: false),
    Right(caller: "person", method: "consent.get", isLetIn: true),
    Right(caller: "person", method: "account.rename", isLetIn: true),
    Right(caller: "person", method: "notifications.decide", isLetIn: false),
    Right(caller: "person", method: "key.create", isLetIn: false),
    Right(caller: "device", method: "consent.decide", isLetIn: true),
    Right(caller: "device", method: "account.get", isLetIn: false),
    Right(caller: "checker", method: "consent.check", isLetIn: true),
    Right(caller: "checker", method: "consent.decide", isLetIn: false),
    Right(caller: "checker", method: "account.create", isLetIn: false),
    Right(caller: "checker", method: "rpc.stats", isLetIn: false),
    Right(caller: "admin", method: "key.create", isLetIn: true),
    Right(caller: "admin", method: "account.create", isLetIn: true),
    Right(caller: "admin", method: "rpc.stats", isLetIn: true),
    Right(caller: "admin", method: "account.setAppearance", isLetIn: false),
  ]) func rights(_ right: Right) async throws {
    let world = try await World()
    try await world.ready()
    let credentials = [
      "person": world.person, "device": world.device, "checker": world.checker, "admin": world.admin,
    ]
    let response = try await world.call(right.method, as: credentials[right.caller])
    if right.isLetIn {
      #expect(response.result != nil, "\(response.text)")
    } else if right.caller == "nobody" {
      #expect(response.status == 401 && response.code == -32016)
    } else {
      #expect(response.status == 200 && response.code == -32007)
      #expect(response.error?["message"]?.stringValue?.hasPrefix("\(right.method) is for ") == true)
    }
  }

  @Test func badCredentialsAreRefused() async throws {
    let world = try await World()
    try await world.ready()
    let stranger = Ed25519.SigningKey.generate().key
    let good = world.account.makeToken()
    let cases: [(String, String)] = [
      ("nonsense", "unknownCredential"), ("at1.x.y", "unknownCredential"), (good + "A", "unknownCredential"),
      (String(good.dropLast()), "unknownCredential"), (world.account.makeToken(signer: stranger), "unknownCredential"),
      (world.account.makeToken(kid: "other"), "unknownCredential"),
      (world.account.makeToken(expiresIn: -1), "expired"),
      (world.account.makeKey("old", scopes: [.check], expiresAt: Timestamp(milliseconds: 1)), "expired"),
      (String(repeating: "x", count: 5000), "unknownCredential"),
    ]
    for (credential, reason) in cases {
      let response = try await world.call("consent.check", as: credential)
      #expect(response.status == 401 && response.code == -32016)
      #expect(response.reason == reason, "\(credential.prefix(20))")
    }
    #expect(world.consent.calls.isEmpty)
  }

  @Test func aKeyCanBeUsedAtOnceAfterItWasMade() async throws {
    let world = try await World()
    try await world.ready()
    for index in 0..<5 {
      let key = world.account.makeKey("new\(index)", scopes: [.check])
      #expect(try await world.call("consent.check", as: key).status == 200)
    }
  }

  @Test func aRevokedKeyAndAnEndedSessionAreRefusedSoon() async throws {
    let world = try await World()
    try await world.ready()
    #expect(try await world.call("consent.check", as: world.checker).status == 200)
    #expect(try await world.call("consent.check", as: world.person).status == 200)
    world.account.revokeKey("checker")
    world.account.endSession("s1")
    try await world.until { try await world.call("consent.check", as: world.checker).reason == "keyRevoked" }
    try await world.until { try await world.call("consent.check", as: world.person).reason == "sessionEnded" }
    #expect(try await world.call("consent.check", as: world.device).status == 200)
  }

  @Test func aLoadOfManyPagesIsTakenInWhole() async throws {
    let world = try await World(pageSize: 1)
    try await world.ready()
    for credential in [world.person, world.device, world.checker, world.admin] {
      #expect(try await world.call("consent.catalog", as: credential).status == 200)
    }
  }

  @Test func withoutNewsNobodyIsBelievedUntilItComesBack() async throws {
    let world = try await World()
    try await world.ready()
    world["account"].transport.setConnected(false)
    try await world.until { try await world.call("consent.check", as: world.person).status == 503 }
    let response = try await world.call("consent.check", as: world.person)
    #expect(response.code == -32014 && response.reason == "authenticationUnavailable")
    #expect(try await world.client().request("GET", "/health/ready")?.status == 503)
    #expect(try await world.client().request("GET", "/health/live")?.status == 200)
    #expect(try await world.call("consent.catalog").status == 200)
    world["account"].transport.setConnected(true)
    try await world.ready()
    #expect(try await world.call("consent.check", as: world.person).status == 200)
  }

  @Test func tooManyBadCredentialsFromOneAddressWaitAndGoodOnesDoNot() async throws {
    let world = try await World(["ASSENT_AUTH_FAILURES": "3"])
    try await world.ready()
    #expect(try await world.call("consent.check", as: world.checker).status == 200)
    // On a slow machine the limit forgives some of them meanwhile.
    var response = try await world.call("consent.check", as: "bad")
    #expect(response.status == 401)
    while response.status == 401 { response = try await world.call("consent.check", as: "bad") }
    #expect(response.status == 429 && response.code == -32008 && response.reason == "failureLimit")
    #expect((response.error?["data"]?["retryAfterMs"]?.integerValue ?? 0) > 0)
    #expect(response.headers["retry-after"] == "1")
    #expect(try await world.call("consent.check", as: world.checker).status == 200)
  }

  /// An authenticator by itself, which judges when it is told to and gets its news from the test.
  private final class Judge {
    let authenticator: Authenticator
    /// What came later.
    var told: [String] = []

    init(_ change: (inout Authenticator.Limits) -> Void) {
      var limits = Authenticator.Limits()
      change(&limits)
      authenticator = Authenticator(limits: limits, clock: SystemClock()) { $0() }
      news()
    }

    func news(_ keys: [AuthKey] = []) {
      authenticator.apply(AuthChanges(cursor: "1", reset: true, keys: keys), began: MonotonicClock.milliseconds())
    }

    /// What is said at once.
    func judge(_ credential: String, from address: String) -> String? {
      var credential = credential
      let outcome = credential.withUTF8 { bytes in
        authenticator.judge(UnsafeRawBufferPointer(bytes), from: { address }) { self.told.append(Judge.text($0)) }
      }
      return outcome.map(Judge.text)
    }

    private static func text(_ outcome: Authenticator.Outcome) -> String {
      switch outcome {
      case .good: "good"
      case .refused(let error): error.retryAfterMs.map { "\(error.reason), in \($0) ms" } ?? error.reason
      case .heldBack(let error): "held back: \(error.reason)"
      }
    }
  }

  @Test func `whoever goes on with bad credentials is refused with a pause, and others are not concerned`() {
    let judge = Judge {
      $0.failureBurst = 1
      $0.failureInterval = 1_000_000
    }
    #expect(judge.judge("first", from: "here") == nil)
    judge.news()
    #expect(judge.told == ["unknownCredential"])
    #expect(judge.judge("second", from: "here") == "held back: failureLimit")
    #expect(judge.judge("third", from: "there") == nil)
    judge.news()
    #expect(judge.told == ["unknownCredential", "unknownCredential"])
  }

  @Test func `a good new key is asked to come back while too many wait for news, which is no failure of its address`() {
    let judge = Judge {
      $0.verifications = 2
      $0.failureBurst = 1
      $0.failureInterval = 1_000_000
    }
    for other in ["a", "b"] { #expect(judge.judge(other, from: other) == nil) }
    for _ in 0..<3 { #expect(judge.judge("new", from: "here") == "verificationQueue, in 100 ms") }
    let key = AuthKey(
      app: "default", keyId: "k", hash: Hex.encode(SHA256.hash("new")), name: "k", scopes: [.check])
    judge.news([key])
    #expect(judge.told == ["unknownCredential", "unknownCredential"])
    #expect(judge.judge("new", from: "here") == "good")
    // The address may still be wrong once.
    #expect(judge.judge("bad", from: "here") == nil)
  }

  @Test func startingDevicesIsLimitedByAddress() async throws {
    let world = try await World(["ASSENT_NEWCOMERS": "2"])
    try await world.ready()
    var response = try await world.call("session.startDevice")
    #expect(response.status == 200)
    while response.status == 200 { response = try await world.call("session.startDevice") }
    #expect(response.status == 429 && response.reason == "addressLimit")
    #expect(try await world.call("consent.catalog").status == 200)
  }

  @Test func manyCallsWithOneNewTokenAreAllAnswered() async throws {
    let world = try await World()
    try await world.ready()
    let clients = (0..<50).map { _ in world.client() }
    for client in clients {
      client.send(
        "POST", "/rpc", #"{"jsonrpc":"2.0","id":1,"method":"consent.check"}"#,
        headers: ["Authorization": "Bearer \(world.person)"])
    }
    for client in clients { #expect(try await client.receive()?.status == 200) }
  }
}
