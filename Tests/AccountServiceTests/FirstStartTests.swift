// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import AccountService
import Glibc
import JSONRPC
import RPC
import SettingsContracts
import StoreTesting
import Testing

@Suite("First start")
struct FirstStartTests {
  @Test("makes the credentials file for its owner alone, and later starts leave it as it is")
  func credentials() async throws {
    let service = try await RunningAccountService()
    let made = try service.credentials()
    #expect(made.adminKey.hasPrefix("assent_sk.default."))
    #expect(made.publishableKey.hasPrefix("assent_pk.default."))
    #expect(made.demoToken == nil)
    var status = stat()
    #expect(stat(service.credentialsPath, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    let before = try await service.changes()
    let again = try await RunningAccountService(on: service.store)
    #expect(try again.credentials() == made)
    #expect(try await again.changes(since: before.cursor) == AuthChanges(cursor: before.cursor))
  }

  @Test("puts the file's key into a store that has it not: a start that was cut short is completed")
  func completed() async throws {
    let service = try await RunningAccountService()
    let made = try service.credentials()
    let other = try TestStore(migrations: AccountService.migrations)
    #expect(rename(service.credentialsPath, other.folder + "/credentials.json") == 0)
    let again = try await RunningAccountService(on: other)
    #expect(try again.credentials() == made)
    #expect(try await again.changes().apps.first?.publishableKey == made.publishableKey)
    #expect(try await again.changes().keys.count == 1)
  }

  @Test("gives another admin key when the file was taken away, and none back that was revoked")
  func lost() async throws {
    let service = try await RunningAccountService()
    let made = try service.credentials()
    let first = try #require(try await service.call(KeyMethods.list, KeyListParams()).items.first)
    unlink(service.credentialsPath)
    let again = try await RunningAccountService(on: service.store)
    let other = try again.credentials()
    #expect(other.adminKey != made.adminKey)
    #expect(other.publishableKey == made.publishableKey)
    #expect(try await again.changes().keys.count == 2)
    try await again.call(KeyMethods.revoke, KeyRevokeParams(keyId: first.keyId))
    let third = try await RunningAccountService(on: service.store)
    #expect(try await third.changes().keys.count == 1)
  }

  @Test("with the demo makes one account and one long session, however often it starts")
  func demo() async throws {
    let service = try await RunningAccountService(demo: true)
    let token = try #require(try service.credentials().demoToken)
    let verified = try await service.verified(token)
    #expect(verified.principal.accountId == "maya")
    #expect(verified.expiresAt > service.clock.now() + 360 * 24 * 3600 * 1000)
    let maya = try await service.call(AccountMethods.get, AccountGetParams(), as: verified.principal)
    #expect(maya.name == "Maya" && maya.email == "maya@example.com" && maya.plan == "Plus")
    let again = try await RunningAccountService(demo: true, on: service.store)
    #expect(try again.credentials().demoToken == token)
    #expect(try await again.call(SessionMethods.list, SessionListParams(), as: verified.principal).items.count == 1)
  }

  @Test("adds the demo to a store that was started without")
  func demoLater() async throws {
    let service = try await RunningAccountService()
    let made = try service.credentials()
    let again = try await RunningAccountService(demo: true, on: service.store)
    let now = try again.credentials()
    #expect(now.adminKey == made.adminKey && now.demoToken != nil)
  }
}
