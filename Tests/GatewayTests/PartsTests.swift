// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Configuration
@testable import Gateway
import HTTPServer
import JSONRPC
import RPC
import SettingsContracts
import Testing

/// The small parts by themselves.
@Suite struct PartsTests {
  static let languages: [(String, String?)] = [
    ("de", "de"), ("de-AT, de;q=0.9", "de-AT,de"), ("fr;q=0.2,en;q=0.8", "en,fr"), ("*", nil), ("", nil),
    ("*, pt", "pt"),
    ("de;q=0", nil), ("fr, de-AT;q=0.8, en", "fr,en,de-AT"), ("a1,b1,c1,d1,e1", "a1,b1,c1,d1"), ("\"<script>\"", nil),
    ("en-US;q=abc, nl;q=0.1", "nl"),
  ]
  @Test(arguments: languages) func acceptLanguage(_ header: String, _ locale: String?) {
    #expect(AcceptLanguage.preferred(header) == locale)
  }

  static let timeouts: [(String, Int?)] = [
    ("500ms", 500), ("2s", 2000), ("0ms", nil), ("-1s", nil), ("2", nil), ("2m", nil), ("1.5s", nil), ("ms", nil),
    ("", nil),
    ("99999999s", nil), ("٣s", nil),
  ]
  @Test(arguments: timeouts) func assentTimeout(_ header: String, _ milliseconds: Int?) {
    #expect(Arrival.milliseconds(header) == milliseconds)
  }

  static let forwarded: [(String?, Int, String)] = [
    (nil, 0, "9.9.9.9"), ("1.1.1.1", 0, "9.9.9.9"), (nil, 1, "9.9.9.9"), ("1.1.1.1", 1, "1.1.1.1"),
    ("6.6.6.6, 1.1.1.1", 1, "1.1.1.1"), ("6.6.6.6,1.1.1.1, 2.2.2.2", 2, "1.1.1.1"), ("1.1.1.1", 2, "1.1.1.1"),
  ]
  @Test(arguments: forwarded) func forwardedFor(_ header: String?, _ hops: Int, _ address: String) {
    #expect(Arrival.address("9.9.9.9", header, proxyHops: hops) == address)
  }

  static let schemes: [(String, String?)] = [
    ("Bearer x", "x"), ("bearer  x", "x"), ("BEARER x.y", "x.y"), ("Bearer ", nil), ("Bearer", nil), ("Basic x", nil),
    ("Bearerx y", nil), ("", nil),
  ]
  @Test(arguments: schemes) func bearer(_ header: String, _ credential: String?) {
    let found = Array(header.utf8).withUnsafeBytes { Arrival.bearer($0).map { String(decoding: $0, as: UTF8.self) } }
    #expect(found == credential)
  }

  @Test func madeNamesAreWellFormedAndDifferent() {
    var names = RequestNames()
    var ids: Set<String> = []
    for _ in 0..<1000 { ids.insert(names.next()) }
    #expect(ids.count == 1000)
  }

  @Test func whatAnAddressDoesIsLimitedAndForgivenInTime() {
    var limit = AddressLimit(burst: 3, interval: 1000)
    for _ in 0..<3 {
      #expect(limit.wait("a", now: 0) == nil)
      limit.count("a", now: 0)
    }
    #expect(limit.wait("a", now: 0) == 1000)
    #expect(limit.wait("a", now: 400) == 600)
    #expect(limit.wait("b", now: 0) == nil)
    #expect(limit.wait("a", now: 1000) == nil)
    limit.count("a", now: 1000)
    #expect(limit.wait("a", now: 1000) == 1000)
    #expect(limit.wait("a", now: 100_000) == nil)
  }

  @Test func theLimitRemembersABoundedNumberOfAddresses() {
    var limit = AddressLimit(burst: 1, interval: 1000, capacity: 100)
    limit.count("first", now: 0)
    for index in 0..<40 { limit.count("\(index)", now: 0) }
    #expect(limit.wait("first", now: 0) != nil)
    for index in 0..<200 { limit.count("\(index)", now: 0) }
    #expect(limit.wait("first", now: 0) == nil)
    #expect(limit.wait("199", now: 0) != nil)
  }

  @Test func theCacheKeepsWhatIsUsedAndForgetsTheRest() {
    var cache = CredentialCache(capacity: 20)
    func find(_ text: String) -> Bool { Array(text.utf8).withUnsafeBytes { cache.find($0) } != nil }
    cache.insert(.anonymous(), for: Array("used".utf8))
    cache.insert(.anonymous(), for: Array("unused".utf8))
    for index in 0..<100 {
      cache.insert(.anonymous(), for: Array("\(index)".utf8))
      #expect(find("used"))
    }
    #expect(cache.count <= 20)
    #expect(!find("unused") && find("99"))
    Array("used".utf8).withUnsafeBytes { cache.remove($0) }
    #expect(!find("used"))
  }

  @Test func credentialsThatAreNotUsedForTwoTurnoversAreForgotten() {
    var now: Int64 = 0
    var cache = CredentialCache(capacity: 1000, turnover: 10) { now }
    func find(_ text: String) -> Bool { Array(text.utf8).withUnsafeBytes { cache.find($0) } != nil }
    cache.insert(.anonymous(), for: Array("used".utf8))
    cache.insert(.anonymous(), for: Array("unused".utf8))
    for index in 0..<5 {
      now += 10
      cache.insert(.anonymous(), for: Array("\(index)".utf8))
      #expect(find("used"))
    }
    #expect(!find("unused") && find("4"))
    #expect(cache.count <= 3)
  }

  @Test func aLoadThatStartsOverTakesThePlaceOfTheOldOneWhenItIsWhole() {
    let now = Timestamp(milliseconds: 1000)
    var directory = AuthDirectory()
    func key(_ name: String) -> AuthKey { AuthKey(app: "default", keyId: name, hash: name, name: name, role: .admin) }
    directory.apply(AuthChanges(cursor: "1", reset: true, more: true, keys: [key("a")]), now: now)
    #expect(!directory.isLoaded && directory.key(hash: "a") == nil)
    directory.apply(AuthChanges(cursor: "2", keys: [key("b")]), now: now)
    #expect(directory.isLoaded && directory.key(hash: "a") != nil && directory.key(hash: "b") != nil)
    directory.apply(AuthChanges(cursor: "3", reset: true, more: true, keys: [key("c")]), now: now)
    #expect(directory.isLoaded && directory.key(hash: "a") != nil && directory.key(hash: "c") == nil)
    directory.apply(AuthChanges(cursor: "4"), now: now)
    #expect(directory.key(hash: "a") == nil && directory.key(hash: "c") != nil)
    #expect(directory.cursor == "4")
  }

  @Test func endedSessionsAreForgottenOnceTheirTokensHaveExpired() {
    var directory = AuthDirectory()
    let end = AuthRevocation(app: "default", sessionId: "s", until: Timestamp(milliseconds: 5000))
    directory.apply(AuthChanges(cursor: "1", reset: true, revocations: [end]), now: Timestamp(milliseconds: 0))
    #expect(directory.hasEnded("s", app: "default") && !directory.hasEnded("s", app: "other"))
    directory.apply(AuthChanges(cursor: "1"), now: Timestamp(milliseconds: 5000))
    #expect(directory.hasEnded("s", app: "default"))
    directory.apply(AuthChanges(cursor: "1"), now: Timestamp(milliseconds: 5001))
    #expect(!directory.hasEnded("s", app: "default"))
  }

  static let configurations: [([String: String], String)] = [
    (["ASSENT_GATEWAY_LISTEN": "ftp"], "ASSENT_GATEWAY_LISTEN must be one of http, zmq, http,zmq, zmq,http"),
    (["ASSENT_HTTP_PORT": "70000"], "ASSENT_HTTP_PORT must be a whole number from 0 to 65535"),
    (["ASSENT_BUS_DIR": ""], "ASSENT_ACCOUNT_SERVICE_ENDPOINT is not set, nor is ASSENT_BUS_DIR"),
  ]
  @Test(arguments: configurations) func configurationErrorsNameTheKey(_ change: [String: String], _ message: String) {
    let values = ["ASSENT_BUS_DIR": "/bus"].merging(change) { $1 }
    do {
      _ = try GatewayConfiguration(Configuration(values))
      Issue.record("accepted")
    } catch { #expect(error.description == message) }
  }

  @Test func endpointsAreInTheBusFolderUnlessNamed() throws {
    let configuration = try GatewayConfiguration(
      Configuration([
        "ASSENT_BUS_DIR": "/bus", "ASSENT_CONSENT_SERVICE_ENDPOINT": "tcp://127.0.0.1:9",
        "ASSENT_GATEWAY_LISTEN": "http",
      ]))
    #expect(configuration.endpoints["account-service"] == "ipc:///bus/account-service.sock")
    #expect(configuration.endpoints["consent-service"] == "tcp://127.0.0.1:9")
    #expect(configuration.http?.port == 8080 && configuration.zeroMQ == nil)
  }
}
