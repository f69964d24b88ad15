// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import AccountService
import Cryptography
import Events
import JSONRPC
import RPC
import SQLStore
import SettingsContracts
import StoreTesting
import Testing

@Suite("session.*")
struct SessionTests {
  @Test("A device before sign-in gets an id of the server's making and tokens")
  func startDevice() async throws {
    let service = try await RunningAccountService()
    let (principal, grant) = try await service.device()
    #expect(principal.kind == .device)
    #expect(principal.deviceId == grant.deviceId)
    #expect(principal.app == "default")
    #expect(grant.expiresAt == service.clock.now() + 15 * 60 * 1000)
    #expect(grant.refreshToken != nil)
    let event = try #require(try await service.events(of: .device("default", grant.deviceId)).first)
    #expect(event.kind == "session.started")
    #expect(event.records[0].entryId == grant.entryId)
    #expect(event.records[0].personal["platform"] == "ios")
  }

  @Test("Two devices that use one idempotency key do not get one identity")
  func anonymousKeys() async throws {
    let service = try await RunningAccountService()
    let params = SessionStartDeviceParams(
      appKey: try service.credentials().publishableKey, platform: "ios", appVersion: "1")
    let first = try await service.call(SessionMethods.startDevice, params, as: .anonymous, key: "1")
    let second = try await service.call(SessionMethods.startDevice, params, as: .anonymous, key: "1")
    #expect(first.deviceId != second.deviceId)
    #expect(first.token != second.token)
  }

  @Test(
    "An app's key that no app has is refused", arguments: ["", "x", "assent_pk.default.AAAA", "assent_pk.other.AAAA"])
  func appKey(key: String) async throws {
    let service = try await RunningAccountService()
    let params = SessionStartDeviceParams(appKey: key, platform: "ios", appVersion: "1")
    let error = await service.refusal(SessionMethods.startDevice, params, as: .anonymous)
    #expect(error?.code == .unauthenticated)
    #expect(error?.reason == "unknownAppKey")
  }

  @Test("A person signs in on the device that they held before")
  func start() async throws {
    let service = try await RunningAccountService()
    let (_, device) = try await service.device()
    _ = try await service.createAccount("maya")
    let (maya, grant) = try await service.signIn("maya", device: device.deviceId)
    #expect(maya.kind == .user)
    #expect(maya.accountId == "maya")
    #expect(maya.deviceId == device.deviceId)
    #expect(maya.sessionId == grant.sessionId)
    #expect(maya.generation == 1)
    #expect(maya.authTime == service.clock.now())
    let item = try #require(
      try await service.call(SessionMethods.list, SessionListParams(), as: maya).items.first)
    #expect(item.platform == "ios")
    #expect(item.current)
  }

  @Test("A sign-in for nobody, on no device, in the future or of a malformed id is refused")
  func badStart() async throws {
    let service = try await RunningAccountService()
    _ = try await service.createAccount("maya")
    let now = service.clock.now()
    func code(_ params: SessionStartParams) async -> ErrorCode? {
      await service.refusal(SessionMethods.start, params, as: .key("session"))?.code
    }
    #expect(await code(SessionStartParams(accountId: "theo", authenticatedAt: now)) == .notFound)
    #expect(await code(SessionStartParams(accountId: "maya", deviceId: "gone", authenticatedAt: now)) == .notFound)
    #expect(await code(SessionStartParams(accountId: "a b", authenticatedAt: now)) == .invalidParams)
    #expect(
      await code(SessionStartParams(accountId: "maya", deviceId: "\u{1}", authenticatedAt: now)) == .invalidParams)
    #expect(await code(SessionStartParams(accountId: "maya", authenticatedAt: now + 61_000)) == .invalidParams)
    #expect(
      await code(SessionStartParams(accountId: "maya", deviceName: "a\nb", authenticatedAt: now)) == .invalidParams)
    let others: [Principal] = [.key("account"), .anonymous, Principal(kind: .key, name: "o", role: "officer")]
    for principal in others {
      let params = SessionStartParams(accountId: "maya", authenticatedAt: now)
      #expect(await service.refusal(SessionMethods.start, params, as: principal) != nil)
    }
  }

  @Test("A repeated sign-in under one key gives the same tokens, and they are stored nowhere")
  func repeated() async throws {
    let service = try await RunningAccountService()
    _ = try await service.createAccount("maya")
    let params = SessionStartParams(accountId: "maya", authenticatedAt: service.clock.now())
    let first = try await service.call(SessionMethods.start, params, key: "k")
    service.clock.advance(milliseconds: 5000)
    #expect(try await service.call(SessionMethods.start, params, key: "k") == first)
    let rows =
      try await service.store.store.read(SQLStatement("SELECT reply FROM idempotency")).map { $0.text(0) }
      + service.store.store.read(SQLStatement("SELECT event FROM outbox")).map { $0.text(0) }
    #expect(!rows.isEmpty)
    let refresh = try #require(first.refreshToken)
    for row in rows { #expect(!row.contains(first.token) && !row.contains(refresh)) }
  }

  @Test("Refreshing rotates: a new pair each time, the old token spent")
  func refresh() async throws {
    let service = try await RunningAccountService()
    var (_, grant) = try await service.person("maya")
    for _ in 0..<3 {
      service.clock.advance(milliseconds: 600_000)
      let next = try await service.call(
        SessionMethods.refresh, SessionRefreshParams(refreshToken: grant.refreshToken!), as: .anonymous)
      #expect(next.sessionId == grant.sessionId)
      #expect(next.token != grant.token && next.refreshToken != grant.refreshToken)
      #expect(next.expiresAt == service.clock.now() + 15 * 60 * 1000)
      #expect(try await service.verified(next.token).principal.accountId == "maya")
      grant = next
    }
    #expect(
      try await service.events(of: .account("default", "maya")).map(\.kind) == ["account.created", "session.started"])
  }

  @Test("A spent refresh token that comes again ends the session, at once and for every gateway")
  func reuse() async throws {
    let service = try await RunningAccountService()
    let (_, grant) = try await service.person("maya")
    let stolen = SessionRefreshParams(refreshToken: grant.refreshToken!)
    let next = try await service.call(SessionMethods.refresh, stolen, as: .anonymous, key: "a")
    let cursor = try await service.changes().cursor
    let error = await service.refusal(SessionMethods.refresh, stolen, as: .anonymous, key: "b")
    #expect(error?.code == .unauthenticated)
    #expect(error?.reason == "refreshTokenReused")
    let change = try await service.changes(since: cursor)
    #expect(change.revocations.map(\.sessionId) == [grant.sessionId])
    #expect(change.revocations.first?.until == next.expiresAt)
    let refused = await service.refusal(
      SessionMethods.refresh, SessionRefreshParams(refreshToken: next.refreshToken!), as: .anonymous)
    #expect(refused?.reason == "sessionEnded")
    await #expect(throws: RPCError.self) { try await service.verified(next.token) }
    let event = try #require(try await service.events(of: .account("default", "maya")).last)
    #expect(event.kind == "session.ended")
    #expect(event.records[0].facts == ["reason": "refreshTokenReused"])
    #expect(event.records[0].personal["actor"] == "service:account-service")
  }

  @Test("A repeat of the call that spent a refresh token, its answer lost, gets the answer again")
  func refreshRepeated() async throws {
    let service = try await RunningAccountService()
    let (_, grant) = try await service.person("maya")
    let params = SessionRefreshParams(refreshToken: grant.refreshToken!)
    let first = try await service.call(SessionMethods.refresh, params, as: .anonymous, key: "k")
    #expect(try await service.call(SessionMethods.refresh, params, as: .anonymous, key: "k") == first)
    // Spent by the next refresh, the repeat is a reuse.
    try await service.call(
      SessionMethods.refresh, SessionRefreshParams(refreshToken: first.refreshToken!), as: .anonymous, key: "l")
    #expect(
      await service.refusal(SessionMethods.refresh, params, as: .anonymous, key: "k")?.reason == "refreshTokenReused")
  }

  @Test("Of many that spend one refresh token at once, one does and the session ends; repeats of one call are one")
  func refreshRace() async throws {
    let service = try await RunningAccountService()
    let (_, grant) = try await service.person("maya")
    func race(_ token: String, key: @escaping @Sendable (Int) -> String) async -> [SessionGrant?] {
      await withTaskGroup(of: SessionGrant?.self) { group in
        for number in 0..<8 {
          group.addTask {
            try? await service.call(
              SessionMethods.refresh, SessionRefreshParams(refreshToken: token), as: .anonymous, key: key(number))
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
    }
    let repeats = await race(grant.refreshToken!) { _ in "same" }
    #expect(repeats.count == 8 && Set(repeats).count == 1)
    let next = try #require(repeats.first ?? nil)
    let thieves = await race(next.refreshToken!) { "\($0)" }.compactMap { $0 }
    #expect(thieves.count == 1)
    await #expect(throws: RPCError.self) { try await service.verified(next.token) }
    let ends = try await service.events(of: .account("default", "maya")).filter { $0.kind == "session.ended" }
    #expect(ends.count == 1)
  }

  @Test("A session that was not refreshed for 60 days is over")
  func idle() async throws {
    let service = try await RunningAccountService()
    let (_, grant) = try await service.person("maya")
    service.clock.advance(milliseconds: 60 * 24 * 3600 * 1000)
    let error = await service.refusal(
      SessionMethods.refresh, SessionRefreshParams(refreshToken: grant.refreshToken!), as: .anonymous)
    #expect(error?.reason == "sessionExpired")
  }

  @Test("Texts that are no refresh token are refused, and end nothing", arguments: ["", "x", "rt1.default.s.0.AAAA"])
  func forgedRefresh(text: String) async throws {
    let service = try await RunningAccountService()
    let error = await service.refusal(
      SessionMethods.refresh, SessionRefreshParams(refreshToken: text), as: .anonymous)
    #expect(error?.code == .unauthenticated)
    #expect(error?.reason == "invalidRefreshToken")
  }

  @Test("Verifying the person again gives a token that says when, for the same account only")
  func reauthenticate() async throws {
    let service = try await RunningAccountService()
    let (_, grant) = try await service.person("maya")
    _ = try await service.person("theo")
    service.clock.advance(milliseconds: 3_600_000)
    let now = service.clock.now()
    func params(_ account: String, _ session: String) -> SessionReauthenticateParams {
      SessionReauthenticateParams(sessionId: session, accountId: account, authenticatedAt: now)
    }
    let again = try await service.call(
      SessionMethods.reauthenticate, params("maya", grant.sessionId), as: .key("session"))
    #expect(again.refreshToken == nil)
    #expect(try await service.verified(again.token).principal.authTime == now)
    let refreshed = try await service.call(
      SessionMethods.refresh, SessionRefreshParams(refreshToken: grant.refreshToken!), as: .anonymous)
    #expect(try await service.verified(refreshed.token).principal.authTime == now)
    #expect(
      await service.refusal(SessionMethods.reauthenticate, params("theo", grant.sessionId))?.reason == "otherAccount")
    #expect(await service.refusal(SessionMethods.reauthenticate, params("maya", "gone"))?.code == .notFound)
    let (device, _) = try await service.device()
    #expect(
      await service.refusal(SessionMethods.reauthenticate, params("maya", device.sessionId!))?.code == .notFound)
  }

  @Test("Own sessions are listed newest first, without those that ended")
  func list() async throws {
    let service = try await RunningAccountService()
    let (_, first) = try await service.person("maya")
    service.clock.advance(milliseconds: 1000)
    let (maya, second) = try await service.signIn("maya")
    _ = try await service.person("theo")
    let page = try await service.call(SessionMethods.list, SessionListParams(), as: maya)
    #expect(page.items.map(\.sessionId) == [second.sessionId, first.sessionId])
    #expect(page.items.map(\.current) == [true, false])
    let one = try await service.call(SessionMethods.list, SessionListParams(limit: 1), as: maya)
    let two = try await service.call(SessionMethods.list, SessionListParams(limit: 1, cursor: one.nextCursor), as: maya)
    #expect(two.items.map(\.sessionId) == [first.sessionId] && two.nextCursor == nil)
    try await service.call(SessionMethods.signOut, SessionSignOutParams(sessionId: first.sessionId), as: maya)
    #expect(try await service.call(SessionMethods.list, SessionListParams(), as: maya).items.count == 1)
  }

  @Test("Signing out ends the session, and the device goes on as another before sign-in")
  func signOut() async throws {
    let service = try await RunningAccountService()
    let (before, device) = try await service.device()
    _ = try await service.createAccount("maya")
    let (maya, grant) = try await service.signIn("maya", device: device.deviceId)
    let cursor = try await service.changes().cursor
    let answer = try await service.call(SessionMethods.signOut, SessionSignOutParams(), as: maya)
    #expect(answer.count == 1)
    let next = try #require(answer.device)
    #expect(next.deviceId != device.deviceId)
    #expect(try await service.verified(next.token).principal.kind == .device)
    let ended = Set(try await service.changes(since: cursor).revocations.map(\.sessionId))
    #expect(ended == [grant.sessionId, before.sessionId!])
    await #expect(throws: RPCError.self) { try await service.verified(grant.token) }
    await #expect(throws: RPCError.self) { try await service.verified(device.token) }
    let successor = try #require(try await service.events(of: .device("default", next.deviceId)).first)
    // Nothing joins the new device to the old one or to the account.
    let text = try JSON.encodeString(successor)
    for name in ["maya", device.deviceId, grant.sessionId] { #expect(!text.contains(name)) }
  }

  @Test("Another of the own sessions can be ended; another's cannot")
  func signOutOther() async throws {
    let service = try await RunningAccountService()
    let (_, first) = try await service.person("maya")
    let (maya, second) = try await service.signIn("maya")
    let (_, theo) = try await service.person("theo")
    let answer = try await service.call(
      SessionMethods.signOut, SessionSignOutParams(sessionId: first.sessionId), as: maya)
    #expect(answer.count == 1 && answer.device == nil)
    #expect(try await service.verified(second.token).principal.accountId == "maya")
    let again = try await service.call(
      SessionMethods.signOut, SessionSignOutParams(sessionId: first.sessionId), as: maya)
    #expect(again.count == 0 && again.entryId == nil)
    let error = await service.refusal(
      SessionMethods.signOut, SessionSignOutParams(sessionId: theo.sessionId), as: maya)
    #expect(error?.code == .notFound)
    #expect(try await service.verified(theo.token).principal.accountId == "theo")
  }

  @Test("Signing out everywhere ends every session of the person, and nobody else's")
  func everywhere() async throws {
    let service = try await RunningAccountService()
    var mine: Set<String> = []
    let (maya, first) = try await service.person("maya")
    mine.insert(first.sessionId)
    for _ in 0..<3 { mine.insert(try await service.signIn("maya").grant.sessionId) }
    let (_, theo) = try await service.person("theo")
    let cursor = try await service.changes().cursor
    let answer = try await service.call(SessionMethods.signOutEverywhere, SessionSignOutEverywhereParams(), as: maya)
    #expect(answer.count == 4)
    #expect(answer.device != nil)
    let change = try await service.changes(since: cursor)
    #expect(Set(change.revocations.map(\.sessionId)) == mine)
    #expect(try await service.verified(theo.token).principal.accountId == "theo")
    // Gateways that begin now hear of it too, until the tokens have ended by themselves.
    #expect(Set(try await service.changes().revocations.map(\.sessionId)) == mine)
    service.clock.advance(milliseconds: 15 * 60 * 1000)
    #expect(try await service.changes().revocations.count == 4)
    service.clock.advance(milliseconds: 5 * 60 * 1000)
    #expect(try await service.changes().revocations.isEmpty)
  }

  @Test("Beyond a hundred live sessions the ones idle longest end")
  func limit() async throws {
    let service = try await RunningAccountService()
    let (maya, first) = try await service.person("maya")
    for _ in 0..<99 {
      service.clock.advance(milliseconds: 1000)
      _ = try await service.call(
        SessionMethods.start, SessionStartParams(accountId: "maya", authenticatedAt: service.clock.now()))
    }
    #expect(try await service.verified(first.token).principal.accountId == "maya")
    service.clock.advance(milliseconds: 1000)
    let (_, last) = try await service.signIn("maya")
    await #expect(throws: RPCError.self) { try await service.verified(first.token) }
    let page = try await service.call(SessionMethods.list, SessionListParams(limit: 100), as: maya)
    #expect(page.items.count == 100 && page.nextCursor == nil)
    #expect(page.items.first?.sessionId == last.sessionId)
  }

  @Test("A token handed to a service is good in its own app alone, and for services alone")
  func verify() async throws {
    let service = try await RunningAccountService()
    let (maya, grant) = try await service.person("maya")
    let params = SessionVerifyParams(token: grant.token)
    #expect(try await service.verified(grant.token).expiresAt == grant.expiresAt)
    let elsewhere = Principal.consentService.of(app: "brand")
    #expect(await service.refusal(SessionMethods.verify, params, as: elsewhere)?.code == .unauthenticated)
    for principal in [maya, .admin, .anonymous] {
      #expect(await service.refusal(SessionMethods.verify, params, as: principal) != nil)
      #expect(await service.refusal(AccountMethods.authChanges, AuthChangesParams(), as: principal) != nil)
    }
    service.clock.advance(milliseconds: 15 * 60 * 1000)
    #expect(await service.refusal(SessionMethods.verify, params, as: .consentService)?.reason == "invalidToken")
  }
}
