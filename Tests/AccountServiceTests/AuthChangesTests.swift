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

@Suite("account.authChanges")
struct AuthChangesTests {
  @Test("The first answer is all there is, the next are empty until something changes")
  func start() async throws {
    let service = try await RunningAccountService()
    let all = try await service.changes()
    #expect(all.reset == true)
    #expect(all.more == nil)
    #expect(all.apps.map(\.app) == ["default"])
    #expect(all.apps.first?.publishableKey == (try service.credentials().publishableKey))
    #expect(all.keys.map(\.hash) == [Hex.encode(SHA256.hash(try service.credentials().adminKey))])
    #expect(all.publicKeys.count == 1)
    #expect(try await service.changes(since: all.cursor) == AuthChanges(cursor: all.cursor))
    // Neither sign-ins nor profiles matter to gateways.
    _ = try await service.person("maya")
    #expect(try await service.changes(since: all.cursor) == AuthChanges(cursor: all.cursor))
  }

  @Test("A published app is told with its origins")
  func publish() async throws {
    let service = try await RunningAccountService()
    let cursor = try await service.changes().cursor
    try await service.call(AppMethods.publish, AppPublishParams(name: "Notes", origins: ["https://notes.example"]))
    let change = try await service.changes(since: cursor)
    #expect(change.apps.map(\.origins) == [["https://notes.example"]])
    #expect(change.keys.isEmpty && change.revocations.isEmpty)
  }

  @Test("A cursor of another store, of the future or of no form starts over", arguments: ["x", "", "e/default:1"])
  func foreign(cursor: String) async throws {
    let service = try await RunningAccountService()
    #expect(try await service.changes(since: cursor).reset == true)
    let own = try await service.changes().cursor
    let future = own.split(separator: ":")[0] + ":999999"
    #expect(try await service.changes(since: String(future)).reset == true)
  }

  @Test("More than a page comes in pages that leave nothing out, also where several share a revision")
  func pages() async throws {
    let service = try await RunningAccountService()
    let start = try await service.changes().cursor
    let count = 1203
    try await service.store.store.write([]) { _, writes in
      for number in 1...count {
        writes.add(
          """
          INSERT INTO service_key (app, key_id, name, owner, hash, scopes, created_at, auth_seq)
          VALUES ('default', $1, $1, 'o', $2, 'check', 0, $3)
          """, .text("k\(number)"), .blob(SHA256.hash("\(number)")), SQLValue(number / 4 + 2))
      }
      writes.add(
        "UPDATE subject_head SET seq = $1 WHERE app = 'default' AND subject = 'x:auth'", SQLValue(count / 4 + 2))
    }
    for cursor in [nil, start] {
      var cursor: String? = cursor
      var seen: Set<String> = []
      var pages = 0
      var more = true
      while more {
        let page = try await service.changes(since: cursor)
        #expect((page.reset == true) == (pages == 0 && cursor == nil))
        seen.formUnion(page.keys.map(\.keyId))
        cursor = page.cursor
        more = page.more == true
        pages += 1
      }
      #expect(seen.filter { $0.hasPrefix("k") }.count == count)
      #expect(pages == 3)
      #expect(try await service.changes(since: cursor).keys.isEmpty)
    }
  }

  @Test("Changes of several apps are all told, those of one not as another's")
  func apps() async throws {
    let service = try await RunningAccountService()
    let cursor = try await service.changes().cursor
    let brand = try await service.call(AppMethods.publish, AppPublishParams(app: "brand", name: "Brand"))
    let key = try await service.call(KeyMethods.create, KeyCreateParams(name: "k", owner: "o", scopes: [.check]))
    let change = try await service.changes(since: cursor)
    #expect(change.apps.map(\.app) == ["brand"])
    #expect(
      Set(change.keys.map { "\($0.app) \($0.hash)" }) == [
        "brand \(Hex.encode(SHA256.hash(brand.adminKey!)))", "default \(Hex.encode(SHA256.hash(key.key!)))",
      ])
  }
}

@Suite("app.*")
struct AppTests {
  @Test("An app is published whole")
  func publish() async throws {
    let service = try await RunningAccountService()
    let first = try await service.call(AppMethods.get, Empty(), as: .anonymous)
    let published = try await service.call(
      AppMethods.publish,
      AppPublishParams(
        name: "Notes", controller: AppController(name: "Notes Ltd", contact: "privacy@notes.example"),
        links: ["en": AppLinks(privacyPolicy: "https://notes.example/p")], defaultRegulation: "gdpr"))
    #expect(published.publishableKey == first.publishableKey)
    #expect(published.revision == first.revision + 1)
    #expect(published.adminKey == nil)
    var got = try await service.call(AppMethods.get, Empty())
    got.entryId = published.entryId
    #expect(got == published)
    let event = try #require(try await service.events(of: .topic("default", "app")).last)
    #expect(event.kind == "app.published")
    #expect(event.payload == ["defaultLocale": "en", "defaultRegulation": "gdpr"])
    let bare = try await service.call(AppMethods.publish, AppPublishParams(name: "Notes"))
    #expect(bare.controller == nil && bare.links.isEmpty && bare.defaultRegulation == nil)
    let same = try await service.call(AppMethods.publish, AppPublishParams(name: "Notes"))
    #expect(same.revision == bare.revision && same.entryId == nil)
  }

  @Test("The record's publishable key may be sent back, and is no other's to choose")
  func publishableKey() async throws {
    let service = try await RunningAccountService()
    let key = try await service.call(AppMethods.get, Empty()).publishableKey
    let params = AppPublishParams(name: "Notes", publishableKey: key)
    #expect(try await service.call(AppMethods.publish, params).publishableKey == key)
    for params in [
      AppPublishParams(name: "Notes", publishableKey: key + "x"),
      AppPublishParams(app: "brand", name: "Brand", publishableKey: key),
    ] {
      let error = await service.refusal(AppMethods.publish, params)
      #expect(error?.code == .invalidParams && error?.field == "publishableKey")
    }
  }

  @Test("The first app's admins make others; an admin of another app reaches its own alone")
  func others() async throws {
    let service = try await RunningAccountService()
    let params = AppPublishParams(app: "brand", name: "Brand")
    let brand = try await service.call(AppMethods.publish, params, key: "k")
    let key = try #require(brand.adminKey)
    #expect(key.hasPrefix("assent_sk.brand."))
    #expect(try await service.call(AppMethods.publish, params, key: "k").adminKey == nil)
    let elsewhere = Principal.admin.of(app: "brand")
    #expect(try await service.call(AppMethods.get, Empty(), as: elsewhere).name == "Brand")
    for app in ["default", "third"] {
      let error = await service.refusal(AppMethods.publish, AppPublishParams(app: app, name: "X"), as: elsewhere)
      #expect(error?.code == .notFound)
    }
    #expect(await service.refusal(AppMethods.publish, AppPublishParams(app: "A B", name: "X"))?.field == "app")
    // Of one device, people and accounts of the same id are two.
    let grant = try await service.call(
      SessionMethods.startDevice,
      SessionStartDeviceParams(appKey: brand.publishableKey, platform: "web", appVersion: "1"), as: .anonymous)
    let verified = try await service.call(
      SessionMethods.verify, SessionVerifyParams(token: grant.token), as: Principal.consentService.of(app: "brand"))
    #expect(verified.principal.app == "brand")
  }
}
