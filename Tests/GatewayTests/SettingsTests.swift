// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

@testable import Gateway
import JSONRPC
import RPC
import RPCTesting
import SettingsContracts
import Testing

/// The settings screen.
@Suite(.timeLimit(.minutes(5))) struct SettingsTests {
  let world: World

  init() async throws {
    world = try await World()
    world.consent.on("consent.get") { _, _ in Self.consent }
    world["account"].on("account.blocked") { _, _ in ["items": [], "count": 3, "revision": 1] }
    world["account"].on("app.get") { _, _ in
      [
        "defaultLocale": "en",
        "links": [
          "en": ["privacyPolicy": "https://a/p"], "de": ["privacyPolicy": "https://a/d", "terms": "https://a/t"],
        ],
      ]
    }
    try await world.ready()
  }

  static let consent: JSONValue = [
    "policyVersion": 2, "revision": 9, "entryId": "e1",
    "categories": [
      ["id": "personalization", "allowed": true], ["id": "analytics", "allowed": false],
      ["id": "marketing", "allowed": true],
    ],
  ]

  func section(_ response: HTTPClient.Response, _ name: String) -> JSONValue? { response.result?[name] }

  @Test func aPersonGetsEverySection() async throws {
    let response = try await world.call("settings.load", "{}", as: world.person)
    #expect(response.status == 200)
    #expect(section(response, "account") == ["ok": true, "value": ["method": "account.get"]])
    #expect(section(response, "permissions") == ["ok": true, "value": ["method": "permission.list"]])
    #expect(section(response, "notifications") == ["ok": true, "value": ["method": "notifications.get"]])
    #expect(section(response, "consent") == ["ok": true, "value": Self.consent])
    let privacy: JSONValue = ["personalizedRecommendations": true, "shareAnalytics": false, "blockedCount": 3]
    #expect(section(response, "privacy") == ["ok": true, "value": privacy])
    #expect(section(response, "export") == ["ok": true, "value": ["available": false]])
    #expect(section(response, "deletion") == ["ok": true, "value": ["available": false]])
    #expect(section(response, "links") == ["ok": true, "value": ["privacyPolicy": "https://a/p", "locale": "en"]])
    #expect(response.result?.objectValue?.count == 8)
  }

  @Test func beforeSignInTheAccountIsNull() async throws {
    let response = try await world.call("settings.load", as: world.device)
    #expect(section(response, "account") == ["ok": true, "value": .null])
    #expect(section(response, "notifications") == ["ok": true, "value": .null])
    #expect(section(response, "permissions")?["ok"] == true)
    #expect(section(response, "privacy")?["value"]?["blockedCount"] == 0)
    #expect(world["account"].calls.map(\.method) == ["app.get"])
  }

  @Test func onlyTheSectionsAskedForAreFetchedInTheLanguageAskedFor() async throws {
    let response = try await world.call(
      "settings.load", #"{"sections":["permissions","links"],"locale":"de-AT"}"#, as: world.person,
      headers: ["Accept-Language": "fr"])
    #expect(response.result?.objectValue?.keys.sorted() == ["links", "permissions"])
    #expect(section(response, "links")?["value"]?["locale"] == "de")
    #expect(world["permission"].calls.map(\.context.locale) == ["de-AT"])
    #expect(world.consent.calls.isEmpty && world["notification-prefs"].calls.isEmpty)
  }

  @Test func aServiceThatIsAwayCostsItsSectionsOnly() async throws {
    world.consent.transport.setConnected(false)
    let response = try await world.call("settings.load", as: world.person)
    for name in ["consent", "privacy"] {
      #expect(section(response, name)?["ok"] == false)
      #expect(section(response, name)?["error"]?["code"] == -32014)
      #expect(section(response, name)?["error"]?["data"]?["requestId"] != nil)
    }
    for name in ["account", "permissions", "notifications", "links"] { #expect(section(response, name)?["ok"] == true) }
  }

  @Test func aServiceThatDoesNotAnswerKeepsTheOthersOneSecond() async throws {
    world["permission"].on("permission.list") { _, _ in
      try await Task.sleep(for: .seconds(60))
      return [:]
    }
    let response = try await world.call("settings.load", as: world.person)
    #expect(section(response, "permissions")?["error"]?["code"] == -32004)
    #expect(section(response, "account")?["ok"] == true)
  }

  @Test func aServicesErrorIsItsSections() async throws {
    world["account"].on("account.get") { _, _ in throw RPCError.notFound("account") }
    let response = try await world.call("settings.load", as: world.person)
    #expect(section(response, "account")?["ok"] == false)
    #expect(section(response, "account")?["error"]?["code"] == -32005)
    #expect(section(response, "account")?["error"]?["data"]?["status"] == "NOT_FOUND")
  }

  @Test(arguments: [
    (#"{"sections":["avatar"]}"#, -32602), (#"{"section":[]}"#, -32602), (#"{"locale":"\""}"#, -32602),
    (#"{"accountId":"other"}"#, -32007), (#"{"deviceId":"other"}"#, -32007),
  ]) func badParamsAreRefused(_ params: String, _ code: Int64) async throws {
    #expect(try await world.call("settings.load", params, as: world.person).code == code)
  }

  @Test func namingOneselfIsAllowed() async throws {
    let response = try await world.call("settings.load", #"{"accountId":"maya","deviceId":"phone"}"#, as: world.person)
    #expect(response.result != nil)
  }

  @Test func aChoiceIsADecision() async throws {
    world.consent.on("consent.decide") { _, _ in Self.consent }
    let params = """
      {"policyVersion":2,"shareAnalytics":false,"personalizedRecommendations":true,
      "context":{"appVersion":"1","osVersion":"2"},"confirm":["gpcConflict"]}
      """
    let response = try await world.call(
      "settings.setChoice", params, as: world.person, headers: ["Idempotency-Key": "k"])
    #expect(
      response.result
        == [
          "personalizedRecommendations": true, "shareAnalytics": false, "policyVersion": 2, "revision": 9,
          "entryId": "e1",
        ])
    let seen = try #require(world.consent.calls.first)
    #expect(seen.method == "consent.decide" && seen.context.idempotencyKey == "k")
    #expect(seen.params["decisions"] == ["analytics": false, "personalization": true])
    #expect(seen.params["method"] == "toggle" && seen.params["confirm"] == ["gpcConflict"])
    #expect(seen.params["context"] == ["appVersion": "1", "osVersion": "2"])
    #expect(seen.params["accountId"] == nil)
  }

  @Test func aChoiceThatConsentRefusesIsRefused() async throws {
    world.consent.on("consent.decide") { _, _ in
      throw RPCError.failedPrecondition(
        "first confirm", reason: "confirmationRequired", details: ["confirm": ["gpcConflict"]])
    }
    let params = #"{"policyVersion":2,"shareAnalytics":true,"context":{"appVersion":"1","osVersion":"2"}}"#
    let response = try await world.call("settings.setChoice", params, as: world.device)
    #expect(response.code == -32009 && response.error?["data"]?["confirm"] == ["gpcConflict"])
  }

  @Test func aChoiceOfNothingIsRefused() async throws {
    let params = #"{"policyVersion":2,"context":{"appVersion":"1","osVersion":"2"}}"#
    #expect(try await world.call("settings.setChoice", params, as: world.person).code == -32602)
    #expect(world.consent.calls.isEmpty)
  }

  static let pages: [(String?, String?)] = [
    ("de", "de"), ("de-AT", "de"), ("DE-at", "de"), ("fr", "en-GB"), (nil, "en-GB"), ("pt-BR", "pt-br"),
    ("zz", "en-GB"),
  ]
  @Test(arguments: pages) func linksAreInTheBestLanguageThereIs(_ wanted: String?, _ found: String?) {
    let pages = AppPages(
      links: ["de": AppLinks(), "en-GB": AppLinks(), "pt-br": AppLinks()], defaultLocale: "en-GB")
    #expect(pages.links(for: wanted).locale == found)
    #expect(AppPages(links: [:], defaultLocale: "en").links(for: wanted).locale == nil)
    #expect(AppPages(links: ["it": AppLinks()], defaultLocale: "en").links(for: wanted).locale == "it")
  }
}
