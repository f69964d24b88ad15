// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

@testable import Gateway
import JSONRPC
import RPC
import RPCTesting
import SettingsContracts
import Testing
import Threading

/// Batches: members side by side, those of one subject in order.
@Suite(.timeLimit(.minutes(5))) struct BatchTests {
  let world: World

  init() async throws {
    world = try await World()
    try await world.ready()
  }

  static func member(_ id: Int?, _ method: String, _ params: String = "{}") -> String {
    let id = id.map { #""id":\#($0),"# } ?? ""
    return #"{"jsonrpc":"2.0",\#(id)"method":"\#(method)","params":\#(params)}"#
  }

  func batch(_ members: [String], as credential: String, headers: [String: String] = [:]) async throws
    -> HTTPClient.Response
  {
    try await world.post("[\(members.joined(separator: ","))]", as: credential, headers: headers)
  }

  @Test func answersComeInOrderEachWithItsId() async throws {
    let response = try await batch(
      [
        Self.member(1, "consent.check"), Self.member(2, "permission.list"), Self.member(nil, "consent.optOut"),
        Self.member(3, "no.method"), "17", Self.member(4, "notifications.decide"),
        Self.member(5, "account.get", #"{"_meta":{"token":"nobody"}}"#), Self.member(nil, "no.method"),
      ], as: world.person)
    #expect(response.status == 200)
    let answers = try #require(response.json.arrayValue)
    #expect(answers.map { $0["id"] } == [1, 2, 3, .null, 4, 5])
    #expect(answers[0]["result"]?["method"] == "consent.check")
    #expect(answers[1]["result"]?["method"] == "permission.list")
    #expect(answers.dropFirst(2).map { $0["error"]?["code"] } == [-32601, -32600, -32007, -32016])
    #expect(world.consent.calls(of: "consent.optOut").count == 1)
  }

  @Test func aBatchOfNotificationsIsAnsweredByNothing() async throws {
    let response = try await batch(
      [Self.member(nil, "consent.optOut"), Self.member(nil, "consent.optOut")], as: world.person)
    #expect(response.status == 204 && response.body.isEmpty)
    #expect(world.consent.calls.count == 2)
  }

  @Test(arguments: [(100, 200), (101, 400)]) func theSizeIsLimited(_ count: Int, _ status: Int) async throws {
    let response = try await batch((0..<count).map { Self.member($0, "consent.check") }, as: world.person)
    #expect(response.status == status)
    if status == 200 { #expect(response.json.arrayValue?.count == count) }
  }

  @Test func eachMemberHasItsOwnIdempotencyKey() async throws {
    _ = try await batch(
      [
        Self.member(1, "consent.optOut"), Self.member(2, "consent.optOut"),
        Self.member(3, "consent.optOut", #"{"_meta":{"idempotencyKey":"own"}}"#),
      ], as: world.person, headers: ["Idempotency-Key": "k"])
    #expect(world.consent.calls.map(\.context.idempotencyKey) == ["k#0", "k#1", "own"])
  }

  /// Answers a member only when the test says so, and says when it began.
  private func hold(_ method: String, _ service: String) -> (
    began: AsyncStream<String>, go: @Sendable () -> Void
  ) {
    let (began, report) = AsyncStream.makeStream(of: String.self)
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    world[service].on(method) { params, _ in
      report.yield(method)
      for await _ in gate { break }
      return ["held": true]
    }
    return (began, { open.yield() })
  }

  @Test func aReadWaitsForTheWriteBeforeItAcrossServices() async throws {
    let write = hold("consent.decide", "consent")
    let client = world.client()
    let members = [Self.member(1, "consent.decide"), Self.member(2, "permission.list")]
    client.send(
      "POST", "/rpc", "[\(members.joined(separator: ","))]", headers: ["Authorization": "Bearer \(world.person)"])
    var began = write.began.makeAsyncIterator()
    #expect(await began.next() == "consent.decide")
    #expect(world["permission"].calls.isEmpty)
    write.go()
    #expect(try await client.receive()?.json.arrayValue?.count == 2)
    #expect(world["permission"].calls.count == 1)
  }

  @Test func readsAndOtherSubjectsDoNotWait() async throws {
    let held = hold("consent.get", "consent")
    let client = world.client()
    // One account's read is held; its other read and another account's go on, its write waits.
    let members = [
      Self.member(1, "consent.get", #"{"accountId":"a"}"#), Self.member(2, "account.get", #"{"accountId":"a"}"#),
      Self.member(3, "account.update", #"{"accountId":"a"}"#), Self.member(4, "account.update", #"{"accountId":"b"}"#),
    ]
    client.send(
      "POST", "/rpc", "[\(members.joined(separator: ","))]", headers: ["Authorization": "Bearer \(world.admin)"])
    var began = held.began.makeAsyncIterator()
    #expect(await began.next() == "consent.get")
    await world.until { world["account"].calls.count == 2 }
    #expect(world["account"].calls.map { $0.params["accountId"] } == ["a", "b"])
    held.go()
    #expect(try await client.receive()?.json.arrayValue?.count == 4)
    #expect(world["account"].calls.map { $0.params["accountId"] } == ["a", "b", "a"])
  }

  @Test func anAnswerThatNoLongerFitsSaysThatItsCallTookEffect() async throws {
    let large = JSONValue.string(String(repeating: "x", count: 1 << 20))
    world.consent.on("consent.optOut") { _, _ in ["large": large] }
    let response = try await batch((0..<5).map { Self.member($0, "consent.optOut") }, as: world.person)
    let answers = try #require(response.json.arrayValue)
    #expect(answers.count == 5)
    #expect(answers[0]["result"] != nil)
    #expect(answers[4]["error"]?["data"]?["status"] == "RESOURCE_EXHAUSTED")
    #expect(answers[4]["error"]?["data"]?["processed"] == true)
    #expect(world.consent.calls.count == 5)
  }

  @Test func aHangUpTakesBackWhatRunsAndStartsNothingMore() async throws {
    let (events, report) = AsyncStream.makeStream(of: String.self)
    world.consent.on("consent.optOut") { _, _ in
      report.yield("began")
      do { try await Task.sleep(for: .seconds(60)) } catch { report.yield("cancelled") }
      return [:]
    }
    let client = world.client()
    client.send(
      "POST", "/rpc", "[\(Self.member(1, "consent.optOut")),\(Self.member(2, "consent.decide"))]",
      headers: ["Authorization": "Bearer \(world.person)"])
    var iterator = events.makeAsyncIterator()
    #expect(await iterator.next() == "began")
    client.close()
    #expect(await iterator.next() == "cancelled")
    await world.until { (try? await world.stats(of: "consent.decide")["calls"]) == 1 }
    #expect(world.consent.calls(of: "consent.decide").isEmpty)
  }

  struct Order: CustomTestStringConvertible {
    var testDescription: String
    /// Subject, whether a write, whether finished.
    var before: [(String?, Bool, Bool)]
    var member: (String?, Bool)
    var mayStart: Bool
  }
  static let orders: [Order] = [
    Order(testDescription: "first", before: [], member: ("a", true), mayStart: true),
    Order(testDescription: "read after read", before: [("a", false, false)], member: ("a", false), mayStart: true),
    Order(testDescription: "write after read", before: [("a", false, false)], member: ("a", true), mayStart: false),
    Order(testDescription: "read after write", before: [("a", true, false)], member: ("a", false), mayStart: false),
    Order(testDescription: "after a finished write", before: [("a", true, true)], member: ("a", true), mayStart: true),
    Order(testDescription: "other subject", before: [("b", true, false)], member: ("a", true), mayStart: true),
    Order(testDescription: "nobody's", before: [(nil, true, false)], member: (nil, true), mayStart: true),
  ]
  @Test(arguments: orders) func order(_ order: Order) {
    var members = order.before.map {
      BatchOrder.Member(isUndecided: false, isFinished: $0.2, isWrite: $0.1, subject: $0.0)
    }
    members.append(
      BatchOrder.Member(isUndecided: false, isFinished: false, isWrite: order.member.1, subject: order.member.0))
    #expect(BatchOrder.mayStart(order.before.count, of: members) == order.mayStart)
    members.insert(BatchOrder.Member(isUndecided: true, isFinished: false, isWrite: false, subject: nil), at: 0)
    #expect(!BatchOrder.mayStart(order.before.count + 1, of: members))
  }
}
