// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

@testable import Gateway
import JSONRPC
import RPC
import RPCTesting
import Testing
import Tracing
import Threading

/// A call's way through the gateway and back.
@Suite(.timeLimit(.minutes(5))) struct CallTests {
  let world: World

  init() async throws {
    world = try await World()
    try await world.ready()
  }

  @Test(arguments: ["1", "\"a\"", "9007199254740993", "1.5", "1e2", #""\u00e9""#, "null"])
  func idsAreEchoedExactly(_ id: String) async throws {
    let body = #"{"jsonrpc":"2.0","method":"consent.check","params":{"category":"analytics"},"id":\#(id)}"#
    let response = try await world.post(body, as: world.person)
    #expect(response.status == 200)
    #expect(response.text.contains(#""id":\#(id)"#))
    #expect(response.result == ["method": "consent.check"])
  }

  @Test func whatTheServiceIsToldComesFromTheCredentialAndTheHeaders() async throws {
    _ = try await world.call(
      "consent.decide", #"{"policyVersion":1}"#, as: world.person,
      headers: [
        "Idempotency-Key": "k \"1\"", "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "Accept-Language": "fr;q=0.3\r\nAccept-Language: de-AT, *;q=0.9", "Sec-GPC": "1", "Assent-Timeout": "1500ms",
      ])
    let seen = try #require(world.consent.calls.first)
    #expect(seen.params == ["policyVersion": 1])
    let context = seen.context
    #expect(context.principal.kind == .user && context.principal.accountId == "maya")
    #expect(context.principal.deviceId == "phone" && context.principal.sessionId == "s1")
    #expect(context.principal.app == "default" && context.principal.authTime != nil)
    #expect(context.idempotencyKey == "k \"1\"")
    #expect(context.trace.traceID == "0af7651916cd43dd8448eb211c80319c" && context.trace.isSampled)
    #expect(context.locale == "de-AT,fr" && context.gpc)
    #expect(context.deadline.remainingMilliseconds <= 1500)
    #expect(!context.requestId.isEmpty)
  }

  static let names: [(header: String, isTaken: Bool)] = [
    ("a", true), ("Trip-2.1_x", true), (String(repeating: "a", count: 64), true),
    (String(repeating: "a", count: 65), false),
    ("maya@example.com", false), ("a b", false), ("a\"", false), ("é", false),
  ]
  @Test(arguments: names) func aClientsNameForACallIsTakenOver(_ header: String, _ isTaken: Bool) async throws {
    for _ in 0..<2 {
      _ = try await world.call("consent.decide", as: world.person, headers: ["X-Request-Id": header])
    }
    let contexts = world.consent.calls.map(\.context)
    #expect(contexts.allSatisfy { ($0.requestId == header) == isTaken })
    // Two writes of that name are two.
    #expect(contexts[0].idempotencyKey != contexts[1].idempotencyKey)
  }

  @Test func withoutHeadersTheGatewayMakesTheKeyOfAWriteAndTheTrace() async throws {
    _ = try await world.call("consent.decide", as: world.person)
    _ = try await world.call("consent.decide", as: world.person)
    _ = try await world.call("consent.check", as: world.person)
    let contexts = world.consent.calls.map(\.context)
    #expect(contexts[0].idempotencyKey != nil && contexts[0].idempotencyKey != contexts[1].idempotencyKey)
    #expect(contexts[2].idempotencyKey == nil)
    #expect(Set(contexts.map(\.trace.traceID)).count == 3)
    #expect(contexts.allSatisfy { $0.trace.parent != 0 && !$0.trace.isSampled })
    #expect(!contexts[0].gpc && contexts[0].locale == nil)
    #expect(contexts[0].deadline.remainingMilliseconds <= 5000)
  }

  @Test func metaWinsAndIsCutOut() async throws {
    let meta = """
      {"category":"analytics","_meta":{"token":"\(world.person)","idempotencyKey":"own","timeoutMs":700,"locale":"it",\
      "traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"},"deviceId":"d"}
      """
    _ = try await world.call(
      "consent.optOut", meta, as: world.checker,
      headers: ["Idempotency-Key": "other", "Assent-Timeout": "9s", "Accept-Language": "fr"])
    let seen = try #require(world.consent.calls.first)
    #expect(seen.params == ["category": "analytics", "deviceId": "d"])
    #expect(seen.context.principal.accountId == "maya")
    #expect(seen.context.idempotencyKey == "own" && seen.context.locale == "it")
    #expect(seen.context.deadline.remainingMilliseconds <= 700)
    #expect(seen.context.trace.traceID == "0af7651916cd43dd8448eb211c80319c" && !seen.context.trace.isSampled)
  }

  struct Refusal: CustomTestStringConvertible {
    var name: String
    var body: String
    var headers: [String: String] = [:]
    var status: Int
    var code: Int64
    var reason: String?
    var testDescription: String { name }
  }

  static func check(_ meta: String) -> String {
    #"{"jsonrpc":"2.0","id":1,"method":"consent.check","params":{"_meta":\#(meta)}}"#
  }

  @Test(arguments: [
    Refusal(name: "no JSON", body: "{", status: 400, code: -32700),
    Refusal(name: "empty", body: "", status: 400, code: -32700),
    Refusal(name: "no request", body: "1", status: 400, code: -32600),
    Refusal(name: "empty batch", body: "[]", status: 400, code: -32600),
    Refusal(name: "no version", body: #"{"id":1,"method":"rpc.health"}"#, status: 400, code: -32600),
    Refusal(
      name: "unknown method", body: #"{"jsonrpc":"2.0","id":1,"method":"consent.nothing"}"#, status: 200, code: -32601),
    Refusal(
      name: "not public", body: #"{"jsonrpc":"2.0","id":1,"method":"account.authChanges"}"#, status: 200, code: -32601),
    Refusal(
      name: "content type", body: "{}", headers: ["Content-Type": "text/plain"], status: 415, code: -32600,
      reason: "contentType"),
    Refusal(
      name: "no credential", body: #"{"jsonrpc":"2.0","id":1,"method":"consent.check"}"#, status: 401, code: -32016),
    Refusal(
      name: "no bearer", body: #"{"jsonrpc":"2.0","id":1,"method":"consent.check"}"#,
      headers: ["Authorization": "Basic eA=="], status: 401, code: -32016, reason: "authorizationScheme"),
    Refusal(
      name: "bad timeout", body: #"{"jsonrpc":"2.0","id":1,"method":"consent.check"}"#,
      headers: ["Assent-Timeout": "soon"], status: 400, code: -32600, reason: "timeout"),
    Refusal(name: "unknown member of _meta", body: check(#"{"toke":"x"}"#), status: 200, code: -32602),
    Refusal(name: "_meta is no object", body: check("1"), status: 200, code: -32602),
    Refusal(name: "timeout of _meta", body: check(#"{"timeoutMs":0}"#), status: 200, code: -32602),
    Refusal(name: "locale of _meta", body: check(#"{"locale":"\"x"}"#), status: 200, code: -32602),
    Refusal(
      name: "long idempotency key", body: #"{"jsonrpc":"2.0","id":1,"method":"consent.check"}"#,
      headers: ["Idempotency-Key": String(repeating: "k", count: 129)], status: 200, code: -32602),
  ]) func refusals(_ test: Refusal) async throws {
    let response = try await world.post(test.body, headers: test.headers)
    #expect(response.status == test.status)
    #expect(response.code == test.code, "\(response.text)")
    if let reason = test.reason { #expect(response.reason == reason) }
    // Whoever reports the error can name it, by the client's name for it where there is one.
    #expect(response.error?["data"]?["requestId"]?.stringValue?.isEmpty == false, "\(response.text)")
    let named = try await world.post(test.body, headers: test.headers.merging(["X-Request-Id": "trip-1"]) { $1 })
    #expect(named.error?["data"]?["requestId"] == "trip-1", "\(named.text)")
    #expect(world.consent.calls.isEmpty)
  }

  @Test(arguments: [nil, "application/json", "Application/JSON; charset=utf-8", "application/json-rpc", ""])
  func contentTypes(_ type: String?) async throws {
    let response = try await world.post(
      #"{"jsonrpc":"2.0","id":1,"method":"rpc.cancel","params":{"id":1}}"#,
      headers: type.map { ["Content-Type": $0] } ?? [:])
    #expect(response.status == 200)
    #expect(response.headers["content-type"] == "application/json")
  }

  @Test func aBodyOverTheLimitIsRefusedAsAMessage() async throws {
    let response = try await world.post(String(repeating: " ", count: 1 << 20 + 1))
    #expect(response.status == 413)
    #expect(response.code == -32600 && response.reason == "bodyTooLarge")
    #expect(response.error?["data"]?["requestId"] != nil)
  }

  static let codes: [(ErrorCode, Int)] = [
    (.invalidParams, 200), (.notFound, 200), (.permissionDenied, 200), (.failedPrecondition, 200), (.aborted, 200),
    (.internalError, 200), (.deadlineExceeded, 200), (.unauthenticated, 401), (.resourceExhausted, 429),
    (.unavailable, 503),
  ]
  @Test(arguments: codes) func aServicesErrorPassesThroughAndTheStatusSaysSo(_ code: ErrorCode, _ status: Int)
    async throws
  {
    world.consent.on("consent.check") { _, _ in
      throw RPCError(code, "because", reason: "why", retryAfterMs: 1200, details: ["current": 7])
    }
    let response = try await world.call("consent.check", as: world.person)
    #expect(response.status == status)
    #expect(response.code == Int64(code.rawValue) && response.reason == "why")
    #expect(response.error?["data"]?["current"] == 7)
    #expect(response.headers["retry-after"] == (status >= 429 ? "2" : nil))
    #expect((response.headers["www-authenticate"] != nil) == (status == 401))
  }

  @Test func aNotificationIsCarriedOutAndAnsweredByNothing() async throws {
    let response = try await world.post(
      #"{"jsonrpc":"2.0","method":"consent.optOut","params":{}}"#, as: world.person)
    #expect(response.status == 204 && response.body.isEmpty)
    #expect(world.consent.calls.count == 1)
  }

  @Test func theDeadlineIsAnswered() async throws {
    world.consent.on("consent.history") { _, _ in
      try await Task.sleep(for: .seconds(60))
      return [:]
    }
    let response = try await world.call("consent.history", as: world.person, headers: ["Assent-Timeout": "50ms"])
    #expect(response.status == 200 && response.code == -32004)
    #expect(response.error?["data"]?["retryable"] == true)
  }

  @Test func aClientThatHangsUpCancelsItsCall() async throws {
    let (events, report) = AsyncStream.makeStream(of: String.self)
    world.consent.on("consent.history") { _, _ in
      report.yield("began")
      do { try await Task.sleep(for: .seconds(60)) } catch { report.yield("cancelled") }
      return [:]
    }
    let client = world.client()
    client.send(
      "POST", "/rpc", #"{"jsonrpc":"2.0","id":1,"method":"consent.history"}"#,
      headers: ["Authorization": "Bearer \(world.person)"])
    var iterator = events.makeAsyncIterator()
    #expect(await iterator.next() == "began")
    client.close()
    #expect(await iterator.next() == "cancelled")
    await world.until { (try? await world.stats(of: "consent.history")["inFlight"]) == 0 }
  }

  @Test func aServiceThatIsAwayIsUnavailable() async throws {
    world.consent.transport.setConnected(false)
    let response = try await world.call("consent.check", as: world.person)
    #expect(response.status == 503 && response.code == -32014)
    #expect(response.error?["data"]?["processed"] == false && response.error?["data"]?["retryable"] == true)
    #expect(try await world.call("permission.list", as: world.person).status == 200)
  }

  static let repeatable: [(String, Bool)] = [
    ("consent.check", true), ("consent.decide", true), ("account.rename", true), ("session.startDevice", false),
  ]
  /// The transport sends again what does no harm when it runs twice.
  @Test(arguments: repeatable) func theTransportIsToldWhetherACallMayBeRepeated(
    _ method: String, _ isIdempotent: Bool
  ) async throws {
    let sent = Lock<[OutboundRequest]>([])
    let world = try await World(wrap: { _, transport in RecordingTransport(transport, sent) })
    try await world.ready()
    _ = try await world.call(method, as: world.person)
    let body = Array(#""method":"\#(method)""#.utf8)
    let requests = sent.withLock { $0 }.filter { $0.body.split(separator: body[...]).count > 1 }
    #expect(requests.map(\.isIdempotent) == [isIdempotent])
    #expect(requests.first?.profile?.isHedged == (method == "consent.check"))
  }

  @Test func callsAreCounted() async throws {
    _ = try await world.call("consent.check", as: world.person)
    _ = try await world.call("consent.check")
    let stats = try await world.stats(of: "consent.check")
    #expect(stats["calls"] == 2 && stats["errors"] == 1 && stats["inFlight"] == 0)
  }
}

extension World {
  func stats(of method: String) async throws -> JSONValue {
    let methods = try await call("rpc.stats", as: admin).result?["methods"]?.arrayValue
    return methods?.first { $0["name"]?.stringValue == method } ?? .null
  }
}
