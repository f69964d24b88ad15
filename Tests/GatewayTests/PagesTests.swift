// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Gateway
import JSONRPC
import RPC
import RPCTesting
import SettingsContracts
import Testing

/// What is served beside calls, and what browsers are told.
@Suite(.timeLimit(.minutes(5))) struct PagesTests {
  let world: World

  init() async throws {
    world = try await World()
    try await world.ready()
  }

  static let pages: [(String, String, Int)] = [
    ("GET", "/health/live", 200), ("HEAD", "/health/live", 200), ("GET", "/health/ready", 200),
    ("GET", "/metrics", 200),
    ("POST", "/health/live", 405), ("GET", "/rpc", 405), ("PUT", "/rpc", 405), ("GET", "/", 404),
    ("POST", "/rpc/", 404),
    ("OPTIONS", "/rpc", 204),
  ]
  @Test(arguments: pages) func statuses(_ method: String, _ path: String, _ status: Int) async throws {
    let response = try await world.client().request(method, path)
    #expect(response?.status == status)
    if status == 405 { #expect(response?.headers["allow"] != nil) }
  }

  @Test func metricsNameEveryMethodAndNobody() async throws {
    _ = try await world.call("consent.check", as: world.person)
    let text = try #require(try await world.client().request("GET", "/metrics")?.text)
    #expect(
      text.contains(#"rpc_server_call_duration_seconds_count{rpc_system_name="jsonrpc",rpc_method="consent.check"} 1"#))
    #expect(!text.contains("maya"))
  }

  @Test func aPageOfAnAppsOriginMayCall() async throws {
    let preflight = try await world.client().request(
      "OPTIONS", "/rpc",
      headers: ["Origin": "https://app.example", "Access-Control-Request-Method": "POST"])
    #expect(preflight?.status == 204)
    #expect(preflight?.headers["access-control-allow-origin"] == "https://app.example")
    #expect(preflight?.headers["access-control-allow-headers"]?.contains("Authorization") == true)
    let response = try await world.call("rpc.cancel", #"{"id":1}"#, headers: ["Origin": "https://app.example"])
    #expect(response.headers["access-control-allow-origin"] == "https://app.example")
    #expect(response.headers["vary"] == "Origin")
  }

  @Test func anotherOriginsPageMayNot() async throws {
    #expect(
      try await world.client().request("OPTIONS", "/rpc", headers: ["Origin": "https://evil.example"])?.status == 403)
    let response = try await world.call("rpc.cancel", #"{"id":1}"#, headers: ["Origin": "https://evil.example"])
    #expect(response.headers["access-control-allow-origin"] == nil)
  }

  @Test func aPageReadsOnlyWhatItsOwnAppsCredentialGives() async throws {
    world.account.publish(
      AuthApp(app: "brand-b", publishableKey: "pk-b", origins: ["https://b.example"], defaultLocale: "en"))
    let origin = ["Origin": "https://b.example"]
    try await world.until {
      try await world.call("rpc.cancel", #"{"id":1}"#, headers: origin).headers["access-control-allow-origin"] != nil
    }
    let theirs = try await world.call("consent.check", #"{"category":"analytics"}"#, as: world.person, headers: origin)
    #expect(theirs.status == 200 && theirs.headers["access-control-allow-origin"] == nil)
    let own = try await world.call(
      "consent.check", #"{"category":"analytics"}"#, as: world.person, headers: ["Origin": "https://app.example"])
    #expect(own.headers["access-control-allow-origin"] == "https://app.example")
  }

  @Test func healthTellsOfEveryService() async throws {
    world.consent.transport.setConnected(false)
    let health = try await world.call("rpc.health").result
    #expect(health?["status"] == "SERVING")
    #expect(health?["services"]?["gateway"] == "SERVING")
    #expect(health?["services"]?["consent-service"] == "NOT_SERVING")
    #expect(health?["services"]?["audit-service"] == "SERVING")
    #expect(health?["services"]?.objectValue?.count == 6)
  }

  @Test func discoveryListsThePublicContract() async throws {
    let document = try await world.call("rpc.discover").result
    let names = document?["methods"]?.arrayValue?.compactMap { $0["name"]?.stringValue } ?? []
    #expect(Set(names) == Set(PublicContract.allMethods.map(\.name)))
    #expect(names.contains("settings.load") && !names.contains("account.authChanges"))
  }
}
