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

@Suite("key.*")
struct KeyTests {
  @Test("A key's text is shown once, and only its hash is kept")
  func create() async throws {
    let service = try await RunningAccountService()
    let params = KeyCreateParams(name: "backend", owner: "Team Notes", scopes: [.session, .account])
    let made = try await service.call(KeyMethods.create, params, key: "once")
    let text = try #require(made.key)
    #expect(text.hasPrefix("assent_sk.default."))
    #expect(made.scopes == [.account, .session])
    let repeated = try await service.call(KeyMethods.create, params, key: "once")
    #expect(repeated.keyId == made.keyId)
    #expect(repeated.key == nil)
    #expect(try await service.call(KeyMethods.list, KeyListParams()).items.allSatisfy { $0.key == nil })

    let known = try #require(try await service.changes().keys.first { $0.keyId == made.keyId })
    #expect(known.hash == Hex.encode(SHA256.hash(text)))
    #expect(known.name == "backend")
    #expect(known.scopes == [.account, .session])

    // Nowhere in the store: not in the row, the outbox or the reply kept for repeats.
    for statement in [
      SQLStatement("SELECT event FROM outbox"), SQLStatement("SELECT reply FROM idempotency"),
    ] {
      for row in try await service.store.store.read(statement) { #expect(!row.text(0).contains(text)) }
    }
  }

  @Test(
    "What is no key is refused by name",
    arguments: [
      (KeyCreateParams(name: "", owner: "o", role: .admin), "name"),
      (KeyCreateParams(name: "a b", owner: "o", role: .admin), "name"),
      (KeyCreateParams(name: String(repeating: "a", count: 65), owner: "o", role: .admin), "name"),
      (KeyCreateParams(name: "a", owner: " ", role: .admin), "owner"),
      (KeyCreateParams(name: "a", owner: "o"), "scopes"),
      (KeyCreateParams(name: "a", owner: "o", scopes: []), "scopes"),
      (KeyCreateParams(name: "a", owner: "o", scopes: [.check], role: .admin), "scopes"),
      (
        KeyCreateParams(
          name: "a", owner: "o", role: .admin, expiresAt: Timestamp(milliseconds: 1_800_000_000_000)), "expiresAt"
      ),
    ])
  func bad(params: KeyCreateParams, field: String) async throws {
    let service = try await RunningAccountService()
    let error = await service.refusal(KeyMethods.create, params)
    #expect(error?.code == .invalidParams)
    #expect(error?.field == field)
  }

  @Test("A name is never given again, even after its key was revoked")
  func names() async throws {
    let service = try await RunningAccountService()
    let made = try await service.call(KeyMethods.create, KeyCreateParams(name: "a", owner: "o", scopes: [.check]))
    try await service.call(KeyMethods.revoke, KeyRevokeParams(keyId: made.keyId))
    let error = await service.refusal(KeyMethods.create, KeyCreateParams(name: "a", owner: "o", scopes: [.check]))
    #expect(error?.code == .alreadyExists)
  }

  @Test("A revoked key is told to gateways once, and no longer to those that begin")
  func revoke() async throws {
    let service = try await RunningAccountService()
    let made = try await service.call(KeyMethods.create, KeyCreateParams(name: "a", owner: "o", scopes: [.check]))
    let before = try await service.changes()
    #expect(try await service.changes(since: before.cursor) == AuthChanges(cursor: before.cursor))
    let revoked = try await service.call(KeyMethods.revoke, KeyRevokeParams(keyId: made.keyId))
    #expect(revoked.revokedAt == service.clock.now())
    let after = try await service.changes(since: before.cursor)
    #expect(after.reset == nil)
    #expect(after.keys.map(\.keyId) == [made.keyId])
    #expect(after.keys.first?.revoked == true)
    #expect(try await !service.changes().keys.contains { $0.keyId == made.keyId })
    let again = try await service.call(KeyMethods.revoke, KeyRevokeParams(keyId: made.keyId))
    #expect(again.revokedAt == revoked.revokedAt && again.entryId == nil)
  }

  @Test("The last admin key that is good stays")
  func lastAdmin() async throws {
    let service = try await RunningAccountService()
    let first = try #require(try await service.call(KeyMethods.list, KeyListParams()).items.first)
    #expect(
      await service.refusal(KeyMethods.revoke, KeyRevokeParams(keyId: first.keyId))?.reason == "lastAdminKey")
    let soon = service.clock.now() + 1000
    try await service.call(KeyMethods.create, KeyCreateParams(name: "b", owner: "o", role: .admin, expiresAt: soon))
    service.clock.advance(milliseconds: 1000)
    #expect(
      await service.refusal(KeyMethods.revoke, KeyRevokeParams(keyId: first.keyId))?.reason == "lastAdminKey")
    try await service.call(KeyMethods.create, KeyCreateParams(name: "c", owner: "o", role: .admin))
    try await service.call(KeyMethods.revoke, KeyRevokeParams(keyId: first.keyId))
  }

  @Test("Keys are an admin's alone")
  func access() async throws {
    let service = try await RunningAccountService()
    let officer = Principal(kind: .key, name: "o", role: "officer")
    for principal in [officer, .key("account", "session"), Principal.anonymous, try await service.device().principal] {
      let code = await service.refusal(KeyMethods.list, KeyListParams(), as: principal)?.code
      #expect(code == .permissionDenied || code == .unauthenticated)
      let create = KeyCreateParams(name: "x", owner: "o", role: .admin)
      #expect(await service.refusal(KeyMethods.create, create, as: principal) != nil)
    }
  }

  @Test("Another app's key is not found, and its list is its own")
  func apps() async throws {
    let service = try await RunningAccountService()
    let made = try await service.call(KeyMethods.create, KeyCreateParams(name: "a", owner: "o", scopes: [.check]))
    let elsewhere = Principal.admin.of(app: "brand")
    #expect(
      await service.refusal(KeyMethods.revoke, KeyRevokeParams(keyId: made.keyId), as: elsewhere)?.code == .notFound)
    #expect(try await service.call(KeyMethods.list, KeyListParams(), as: elsewhere).items.isEmpty)
  }

  @Test("Keys come in pages, oldest first")
  func pages() async throws {
    let service = try await RunningAccountService()
    for number in 0..<5 {
      service.clock.advance(milliseconds: 1)
      try await service.call(KeyMethods.create, KeyCreateParams(name: "k\(number)", owner: "o", scopes: [.check]))
    }
    let first = try await service.call(KeyMethods.list, KeyListParams(limit: 4))
    let second = try await service.call(KeyMethods.list, KeyListParams(limit: 4, cursor: first.nextCursor))
    #expect((first.items + second.items).dropFirst().map(\.name) == ["k0", "k1", "k2", "k3", "k4"])
    #expect(second.nextCursor == nil)
  }
}
