// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import AccountService
import Events
import JSONRPC
import RPC
import SQLStore
import SettingsContracts
import StoreTesting
import Testing

@Suite("account.*")
struct AccountTests {
  @Test("An account is made with defaults and got as it was made")
  func create() async throws {
    let service = try await RunningAccountService()
    let made = try await service.call(
      AccountMethods.create,
      AccountCreateParams(accountId: "maya", name: " Maya Lindqvist ", email: "maya@example.com", plan: "Plus"))
    #expect(made.name == "Maya Lindqvist")
    #expect(made.initials == "ML")
    #expect(made.plan == "Plus")
    #expect(made.avatar == Avatar(kind: .initials))
    #expect(made.appearance == .system)
    #expect(made.locale == "en")
    #expect(made.timeZone == "UTC")
    #expect(made.createdAt == service.clock.now())
    #expect(made.revision == 1)
    #expect(made.entryId != nil)
    var got = try await service.call(AccountMethods.get, AccountGetParams(accountId: "maya"))
    got.entryId = made.entryId
    #expect(got == made)
  }

  @Test("An account takes the app's language where it has none of its own")
  func appLocale() async throws {
    let service = try await RunningAccountService()
    try await service.call(AppMethods.publish, AppPublishParams(name: "Notes", defaultLocale: "sv"))
    #expect(try await service.createAccount("a").locale == "sv")
    #expect(try await service.createAccount("b", locale: "DE-at", timeZone: "Europe/Vienna").locale == "de-AT")
  }

  @Test(
    "What an account cannot be made of is refused by name",
    arguments: [
      (AccountCreateParams(accountId: "a b", name: "A", email: "a@example.com"), "accountId"),
      (AccountCreateParams(accountId: "maya@example.com", name: "A", email: "a@example.com"), "accountId"),
      (AccountCreateParams(accountId: "", name: "A", email: "a@example.com"), "accountId"),
      (AccountCreateParams(accountId: String(repeating: "a", count: 129), name: "A", email: "a@b.se"), "accountId"),
      (AccountCreateParams(accountId: "a", name: " ", email: "a@example.com"), "name"),
      (AccountCreateParams(accountId: "a", name: "A", email: "a@example"), "email"),
      (AccountCreateParams(accountId: "a", name: "A", email: "a@example.com", plan: "P\u{7}"), "plan"),
      (AccountCreateParams(accountId: "a", name: "A", email: "a@example.com", locale: "english please"), "locale"),
      (AccountCreateParams(accountId: "a", name: "A", email: "a@example.com", timeZone: "Mars/Olympus"), "timeZone"),
    ])
  func badCreate(params: AccountCreateParams, field: String) async throws {
    let service = try await RunningAccountService()
    let error = await service.refusal(AccountMethods.create, params)
    #expect(error?.code == .invalidParams)
    #expect(error?.field == field)
    #expect(try await service.events(of: .account("default", params.accountId ?? "")).isEmpty)
  }

  @Test("Of two that make one account at once, one succeeds and the other is told")
  func race() async throws {
    let service = try await RunningAccountService()
    let outcomes = await withTaskGroup(of: Result<Account, any Error>.self) { group in
      for _ in 0..<8 {
        group.addTask {
          do { return .success(try await service.createAccount("maya")) } catch { return .failure(error) }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let refusals = outcomes.compactMap { outcome -> RPCError? in
      if case .failure(let error) = outcome { error as? RPCError } else { nil }
    }
    #expect(refusals.count == 7)
    #expect(
      refusals.allSatisfy { $0.code == .alreadyExists && $0.reason == "accountExists" && $0.field == "accountId" })
    #expect(try await service.events(of: .account("default", "maya")).count == 1)
  }

  @Test("A repeat under the same key finds the account it made, named or not")
  func idempotent() async throws {
    let service = try await RunningAccountService()
    let params = AccountCreateParams(name: "Maya", email: "maya@example.com")
    let first = try await service.call(AccountMethods.create, params, key: "k1")
    #expect(try await service.call(AccountMethods.create, params, key: "k1") == first)
    #expect(try await service.call(AccountMethods.create, params, key: "k2").accountId != first.accountId)
    #expect(try await service.call(AccountMethods.create, params).accountId != first.accountId)
    let changed = AccountCreateParams(name: "Maja", email: "maya@example.com")
    let error = await service.refusal(AccountMethods.create, changed, key: "k1")
    #expect(error?.reason == "idempotencyKeyReused")
  }

  @Test("An id whose account was erased begins anew and inherits nothing; while it is being deleted it is refused")
  func generations() async throws {
    let service = try await RunningAccountService()
    let (old, _) = try await service.person("maya")
    #expect(old.generation == 1)
    func setState(_ state: Int) async throws {
      try await service.store.store.write([]) { _, writes in
        writes.add("UPDATE subject_head SET state = $1 WHERE subject = 'a:maya'", SQLValue(state))
        writes.add("DELETE FROM account WHERE account_id = 'maya'")
      }
    }
    try await setState(1)
    #expect(await service.refusal(AccountMethods.get, AccountGetParams(accountId: "maya"))?.code == .notFound)
    let refusal = await service.refusal(
      AccountMethods.create, AccountCreateParams(accountId: "maya", name: "Maya", email: "m@example.com"))
    #expect(refusal?.code == .failedPrecondition)
    try await setState(2)
    let error = await service.refusal(
      SessionMethods.start, SessionStartParams(accountId: "maya", authenticatedAt: service.clock.now()))
    #expect(error?.code == .failedPrecondition)
    let again = try await service.createAccount("maya")
    #expect(again.revision > 2)
    #expect(try await service.signIn("maya").principal.generation == 2)
  }

  @Test("A rename changes the name, its initials and the revision, and leaves a record without the name in the clear")
  func rename() async throws {
    let service = try await RunningAccountService()
    let (maya, _) = try await service.person("maya")
    let renamed = try await service.call(AccountMethods.rename, AccountRenameParams(name: "Maya Ek"), as: maya)
    #expect(renamed.name == "Maya Ek")
    #expect(renamed.initials == "ME")
    #expect(renamed.revision == 3)
    let event = try #require(try await service.events(of: .account("default", "maya")).last)
    #expect(event.kind == "account.renamed")
    #expect(event.seq == 3)
    #expect(event.records[0].entryId == renamed.entryId)
    #expect(event.records[0].facts == ["changed": ["name"]])
    #expect(event.records[0].personal["name"] == "Maya Ek")
    #expect(event.records[0].personal["actor"] == "person")
    #expect(event.payload == nil)
  }

  @Test("A change that changes nothing leaves no record and takes no revision")
  func unchanged() async throws {
    let service = try await RunningAccountService()
    let before = try await service.createAccount("maya")
    let count = try await service.events().count
    let after = try await service.call(
      AccountMethods.rename, AccountRenameParams(accountId: "maya", name: "Maya Lindqvist "))
    #expect(after.revision == before.revision)
    #expect(after.entryId == nil)
    #expect(try await service.events().count == count)
  }

  @Test("A blank name is refused with what the person is told", arguments: ["", " ", "\t\n"])
  func blank(name: String) async throws {
    let service = try await RunningAccountService()
    let (maya, _) = try await service.person("maya")
    let error = await service.refusal(AccountMethods.rename, AccountRenameParams(name: name), as: maya)
    #expect(error?.code == .invalidParams)
    #expect(error?.display == "Enter your name.")
    let german = await service.refusal(AccountMethods.rename, AccountRenameParams(name: name), as: maya, locale: "de")
    #expect(german?.display == "Geben Sie Ihren Namen ein.")
  }

  @Test("A person changes language and time zone, and other services hear of it")
  func update() async throws {
    let service = try await RunningAccountService()
    let (maya, _) = try await service.person("maya")
    let account = try await service.call(
      AccountMethods.update, AccountUpdateParams(locale: "sv-se", timeZone: "Europe/Stockholm"), as: maya)
    #expect(account.locale == "sv-SE")
    #expect(account.timeZone == "Europe/Stockholm")
    let event = try #require(try await service.events(of: .account("default", "maya")).last)
    #expect(event.kind == "account.updated")
    #expect(event.payload == ["locale": "sv-SE", "timeZone": "Europe/Stockholm"])
  }

  @Test("Name, e-mail address and plan are a key's to update, not a person's")
  func updateByKey() async throws {
    let service = try await RunningAccountService()
    let (maya, _) = try await service.person("maya")
    for params in [
      AccountUpdateParams(name: "A"), AccountUpdateParams(email: "a@example.com"), AccountUpdateParams(plan: "A"),
    ] {
      #expect(await service.refusal(AccountMethods.update, params, as: maya)?.code == .permissionDenied)
    }
    let account = try await service.call(
      AccountMethods.update,
      AccountUpdateParams(accountId: "maya", name: "Maja", email: "maja@example.com", plan: "Pro"),
      as: .key("account"))
    #expect(account.name == "Maja" && account.email == "maja@example.com" && account.plan == "Pro")
    let without = try await service.call(
      AccountMethods.update, AccountUpdateParams(accountId: "maya", plan: ""), as: .key("account"))
    #expect(without.plan == nil)
  }

  @Test("Appearance is the person's to choose")
  func appearance() async throws {
    let service = try await RunningAccountService()
    let (maya, _) = try await service.person("maya")
    let account = try await service.call(
      AccountMethods.setAppearance, AccountSetAppearanceParams(appearance: .dark), as: maya)
    #expect(account.appearance == .dark)
    #expect(try await service.call(AccountMethods.get, AccountGetParams(), as: maya).appearance == .dark)
  }

  @Test("Nobody reaches another's account")
  func others() async throws {
    let service = try await RunningAccountService()
    let (maya, _) = try await service.person("maya")
    _ = try await service.person("theo")
    let named = AccountGetParams(accountId: "theo")
    #expect(await service.refusal(AccountMethods.get, named, as: maya)?.code == .permissionDenied)
    let (device, _) = try await service.device()
    #expect(await service.refusal(AccountMethods.get, AccountGetParams(), as: device)?.code == .permissionDenied)
    #expect(await service.refusal(AccountMethods.get, named, as: .anonymous)?.code == .unauthenticated)
    let elsewhere = Principal.admin.of(app: "brand")
    #expect(await service.refusal(AccountMethods.get, named, as: elsewhere)?.code == .notFound)
    #expect(
      await service.refusal(AccountMethods.rename, AccountRenameParams(accountId: "theo", name: "X"), as: elsewhere)?
        .code == .notFound)
    #expect(await service.refusal(AccountMethods.get, AccountGetParams())?.code == .invalidParams)
    #expect(await service.refusal(AccountMethods.get, AccountGetParams(accountId: "nobody"))?.code == .notFound)
  }

  @Test("Personal text stands in the sealed part of records alone")
  func records() async throws {
    let service = try await RunningAccountService()
    let (maya, _) = try await service.person("maya")
    try await service.call(AccountMethods.block, AccountBlockParams(blockedId: "theo"), as: maya)
    try await service.call(
      AccountMethods.update, AccountUpdateParams(accountId: "maya", email: "secret@example.com"), as: .key("account"))
    for event in try await service.events() {
      for record in event.records {
        let facts = try JSON.encodeString(record.facts)
        for text in ["Maya", "maya", "theo", "example.com"] { #expect(!facts.contains(text)) }
      }
    }
  }
}
