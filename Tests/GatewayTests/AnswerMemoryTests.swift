// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import RPC
import SettingsContracts
import Testing
import Threading

/// What answers cost that nobody reads.
@Suite(.timeLimit(.minutes(5))) struct AnswerMemoryTests {
  private static let large = ConsentMethods.history.name
  private static let discoveries =
    "[" + (0..<100).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"rpc.discover"}"# }.joined(separator: ",") + "]"

  private func world(_ environment: [String: String], large bytes: Int = 0) async throws -> World {
    let world = try await World(environment)
    try await world.ready()
    let text = String(repeating: "x", count: bytes)
    world.consent.on(Self.large) { _, _ in ["text": .string(text)] }
    return world
  }

  private func held(_ world: World) async throws -> Double? {
    let page = try await world.client().request("GET", "/metrics")
    let line = page?.text.split(separator: "\n").first { $0.hasPrefix("assent_answer_bytes ") }
    return line.flatMap { Double($0.split(separator: " ")[1]) }
  }

  private func refusal(_ error: JSONValue?, _ sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(error?["code"]?.integerValue == -32008, sourceLocation: sourceLocation)
    #expect(error?["data"]?["reason"]?.stringValue == "answerBytes", sourceLocation: sourceLocation)
    #expect(error?["data"]?["requestId"]?.stringValue?.isEmpty == false, sourceLocation: sourceLocation)
    #expect((error?["data"]?["retryAfterMs"]?.integerValue ?? 0) > 0, sourceLocation: sourceLocation)
  }

  @Test func `batches whose answers nobody reads are refused when they hold their share, and small calls are not`()
    async throws
  {
    let world = try await world(["ASSENT_BUFFER_MIB": "8"])
    let deaf = (0..<60).map { _ in world.client() }
    for client in deaf { client.send("POST", "/rpc", Self.discoveries) }
    // From the same address.
    for _ in 0..<50 { #expect(try await world.call("consent.check", "{}", as: world.checker).status == 200) }
    var statuses: [Int: Int] = [:]
    for client in deaf {
      let answer = try #require(try await client.receive())
      statuses[answer.status, default: 0] += 1
      if answer.status == 200 {
        let members = try JSON.decode([JSONValue].self, from: answer.body)
        #expect(members.count == 100)
        // Every member has its own answer, and those that did not fit are told so.
        for (index, member) in members.enumerated() {
          #expect(member["id"]?.integerValue == Int64(index))
          if member["result"] == nil, member["error"]?["data"]?["reason"]?.stringValue != "batchReplySize" {
            refusal(member["error"])
            #expect(member["error"]?["data"]?["processed"] == .bool(true))
          }
        }
      } else {
        #expect(answer.headers["retry-after"] == "1")
        refusal(answer.error)
        #expect(answer.error?["data"]?["processed"] == .bool(false))
      }
    }
    #expect(Set(statuses.keys) == [200, 429], "\(statuses)")
    // With all of it read there is room again.
    let after = try await world.post(Self.discoveries)
    #expect(try JSON.decode([JSONValue].self, from: after.body).first?["result"] != nil)
    try await world.until { try await held(world) == 0 }
  }

  @Test func `a large answer that finds no room is told as one that was processed, and there is room once others left`()
    async throws
  {
    let world = try await world(["ASSENT_BUFFER_MIB": "8"], large: 3_900_000)
    let body = #"{"jsonrpc":"2.0","id":"mine","method":"consent.history","params":{}}"#
    let deaf = (0..<12).map { _ in world.client() }
    for client in deaf { client.send("POST", "/rpc", body, headers: ["Authorization": "Bearer \(world.person)"]) }
    await world.until { world.consent.calls(of: Self.large).count == 12 }
    var refused = 0
    try await world.until {
      let answer = try await world.post(body, as: world.person)
      guard answer.status == 429 else { return false }
      refused += 1
      refusal(answer.error)
      #expect(answer.error?["data"]?["processed"] == .bool(true))
      #expect(answer.json["id"]?.stringValue == "mine")
      return true
    }
    #expect(try #require(try await held(world)) <= 8 * 1_048_576)
    for client in deaf { client.close() }
    try await world.until { try await held(world) == 0 }
    #expect(try await world.post(body, as: world.person).status == 200)
  }

  @Test func `pages are counted too`() async throws {
    let world = try await world(["ASSENT_BUFFER_MIB": "2"], large: 1_045_000)
    let page = try #require(try await world.client().request("GET", "/metrics"))
    #expect(page.status == 200 && page.body.count > 4_096)
    let body = #"{"jsonrpc":"2.0","id":1,"method":"consent.history","params":{}}"#
    let deaf = world.client()
    deaf.send("POST", "/rpc", body, headers: ["Authorization": "Bearer \(world.person)"])
    try await world.until {
      let refused = try await world.client().request("GET", "/metrics")
      guard let refused, refused.status == 503 else { return false }
      #expect(refused.headers["retry-after"] == "1")
      return true
    }
    #expect(try await world.client().request("GET", "/health/live")?.status == 200)
    deaf.close()
    try await world.until { try await world.client().request("GET", "/metrics")?.status == 200 }
  }
}
