// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Configuration
import Glibc
import HTTPServer
import JSONRPC
import RPC
import Testing
import Threading
import ZeroMQ

@testable import Gateway

/// What one caller or one address may take from the others, as it is seen from outside.
@Suite(.timeLimit(.minutes(5))) struct CallLimitTests {
  private let slow = "consent.history"

  /// Answers wait until `open()`.
  private final class Door: Sendable {
    private let waiting = Lock<(isOpen: Bool, [CheckedContinuation<Void, Never>])>((false, []))
    func pass() async {
      await withCheckedContinuation { continuation in
        let isOpen = waiting.withLock { state in
          if !state.isOpen { state.1.append(continuation) }
          return state.isOpen
        }
        if isOpen { continuation.resume() }
      }
    }
    func open() {
      let all = waiting.withLock { state in
        defer { state = (true, []) }
        return state.1
      }
      for one in all { one.resume() }
    }
  }

  private func world(_ environment: [String: String]) async throws -> World {
    let world = try await World(environment)
    try await world.ready()
    return world
  }

  private func refusal(_ response: HTTPClient.Response, _ reason: String) {
    #expect(response.status == 429)
    #expect(response.code == -32008)
    #expect(response.reason == reason)
    #expect(response.error?["data"]?["processed"] == .bool(false))
    #expect((response.error?["data"]?["retryAfterMs"]?.integerValue ?? 0) > 0)
    #expect(Int(response.headers["retry-after"] ?? "") ?? 0 >= 1)
  }

  /// Calls until one is refused: on a slow machine the first few may come slowly enough.
  private func refused(_ call: () async throws -> HTTPClient.Response) async throws -> HTTPClient.Response {
    while true {
      let response = try await call()
      if response.status != 200 { return response }
    }
  }

  @Test func `a person has a rate, whatever the session, and others have theirs`() async throws {
    let world = try await world(["ASSENT_PERSON_RATE": "1", "ASSENT_PERSON_BURST": "3"])
    let second = world.account.makeToken(session: "another")
    for token in [world.person, second, world.person] {
      #expect(try await world.call("consent.get", "{}", as: token).status == 200)
    }
    for token in [world.person, second] {
      refusal(try await refused { try await world.call("consent.get", "{}", as: token) }, "callerRate")
    }
    #expect(try await world.call("consent.get", "{}", as: world.device).status == 200)
    #expect(try await world.call("consent.check", "{}", as: world.checker).status == 200)
    #expect(try await world.call("rpc.health").status == 200)
  }

  @Test func `a key has a rate of its own`() async throws {
    let world = try await world(["ASSENT_KEY_RATE": "1", "ASSENT_KEY_BURST": "2"])
    for _ in 0..<2 { #expect(try await world.call("consent.check", "{}", as: world.checker).status == 200) }
    refusal(try await refused { try await world.call("consent.check", "{}", as: world.checker) }, "callerRate")
    #expect(try await world.call("consent.get", "{}", as: world.person).status == 200)
  }

  @Test func `an address has a rate, with a credential or without`() async throws {
    let world = try await World(["ASSENT_ADDRESS_RATE": "1", "ASSENT_ADDRESS_BURST": "3"])
    try await world.ready()
    for token in [nil, world.person, nil] {
      #expect(try await world.call("rpc.discover", as: token).status == 200)
    }
    refusal(try await refused { try await world.call("rpc.discover") }, "addressRate")
    refusal(try await refused { try await world.call("consent.check", "{}", as: world.checker) }, "addressRate")
    // Pages are for operators.
    #expect(try await world.client().request("GET", "/health/live")?.status == 200)
  }

  /// Proxies append to the line that the client sent, or add one of their own.
  @Test(arguments: [", ", "\r\nX-Forwarded-For: ", "\r\nX-Other: x\r\nx-forwarded-for:"])
  func `behind a proxy each address it names has its own rate, in however many lines`(_ then: String) async throws {
    let world = try await World([
      "ASSENT_ADDRESS_RATE": "1", "ASSENT_ADDRESS_BURST": "1", "ASSENT_PROXY_HOPS": "1",
    ])
    try await world.ready()
    func call(_ address: String) async throws -> HTTPClient.Response {
      try await world.call("rpc.discover", headers: ["X-Forwarded-For": "8.8.8.8\(then)\(address)"])
    }
    refusal(try await refused { try await call("192.0.2.1") }, "addressRate")
    #expect(try await call("192.0.2.2").status == 200)
  }

  @Test(arguments: [("PERSON", "caller"), ("ADDRESS", "address")])
  func `so many calls run at once, a batch's too, and room is there again when they have ended`(
    _ whose: String, _ word: String
  ) async throws {
    let world = try await world(["ASSENT_\(whose)_IN_FLIGHT": "2"])
    let door = Door()
    world.consent.on(slow) { _, _ in
      await door.pass()
      return [:]
    }
    let call = #"{"jsonrpc":"2.0","id":1,"method":"consent.history","params":{}}"#
    async let batch = world.post("[\(call),\(call),\(call)]", as: world.person)
    await world.until { world.consent.calls(of: slow).count == 2 }
    refusal(try await world.call("consent.get", "{}", as: world.person), "\(word)InFlight")
    door.open()
    let answers = try JSON.decode([JSONValue].self, from: await batch.body)
    let reasons = answers.map { $0["error"]?["data"]?["reason"]?.stringValue ?? "-" }
    #expect(reasons.sorted() == ["-", "-", "\(word)InFlight"])
    #expect(try await world.call("consent.get", "{}", as: world.person).status == 200)
  }

  @Test func `at each service a caller, and an address, has as many calls as are free, and the next has a place`()
    async throws
  {
    let world = try await World(["ASSENT_PROXY_HOPS": "1"]) { name, transport in
      name == "consent-service" ? LimitedTransport(transport, places: 8) : transport
    }
    try await world.ready()
    let door = Door()
    world.consent.on(slow) { _, _ in
      await door.pass()
      return [:]
    }
    func from(_ address: String) -> [String: String] { ["X-Forwarded-For": address, "Assent-Timeout": "30s"] }
    let (here, there) = (from("192.0.2.1"), from("192.0.2.2"))
    func batch(_ count: Int) -> String {
      let call = #"{"jsonrpc":"2.0","id":1,"method":"consent.history","params":{}}"#
      return "[" + repeatElement(call, count: count).joined(separator: ",") + "]"
    }
    func reasons(_ response: HTTPClient.Response) throws -> [String] {
      try JSON.decode([JSONValue].self, from: response.body)
        .map { $0["error"]?["data"]?["reason"]?.stringValue ?? "-" }.sorted()
    }
    async let first = world.post(batch(10), as: world.person, headers: here)
    await world.until { world.consent.calls(of: slow).count >= 4 }
    // From another address the caller is the same, and at that address another caller has no more.
    refusal(try await world.call("consent.get", "{}", as: world.person, headers: there), "callerShare")
    refusal(try await world.call("consent.get", "{}", as: world.device, headers: here), "addressShare")
    refusal(try await world.call("consent.catalog", "{}", headers: here), "addressShare")
    // Elsewhere nothing is taken.
    #expect(try await world.call("account.get", "{}", as: world.person, headers: here).status == 200)
    let settings = try await world.call("settings.load", "{}", as: world.person, headers: here).result
    #expect(settings?["consent"]?["error"]?["data"]?["reason"]?.stringValue == "callerShare")
    #expect(settings?["account"]?["ok"] == .bool(true))
    async let second = world.post(batch(10), as: world.device, headers: there)
    await world.until { world.consent.calls(of: slow).count >= 6 }
    #expect(try await world.call("consent.check", "{}", as: world.checker).status == 200)
    door.open()
    #expect(try reasons(await first) == Array(repeating: "-", count: 4) + Array(repeating: "callerShare", count: 6))
    #expect(try reasons(await second) == Array(repeating: "-", count: 2) + Array(repeating: "callerShare", count: 8))
    for headers in [here, there] {
      #expect(try await world.call("consent.get", "{}", as: world.person, headers: headers).status == 200)
    }
  }

  @Test func `who has no credential shares with nobody but the address`() async throws {
    let world = try await World(["ASSENT_PROXY_HOPS": "1"]) { name, transport in
      name == "consent-service" ? LimitedTransport(transport, places: 8) : transport
    }
    try await world.ready()
    let door = Door()
    world.consent.on("consent.catalog") { _, _ in
      await door.pass()
      return [:]
    }
    func call(_ number: Int) async throws -> HTTPClient.Response {
      try await world.call(
        "consent.catalog", "{}", headers: ["X-Forwarded-For": "192.0.2.\(number)", "Assent-Timeout": "30s"])
    }
    async let calls = withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<8 { group.addTask { try await call(number).status } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    await world.until { world.consent.calls(of: "consent.catalog").count == 8 }
    door.open()
    #expect(try await calls == Array(repeating: 200, count: 8))
  }

  @Test func `a call that is taken back makes room, and taking back is never refused`() async throws {
    let world = try await world(["ASSENT_ADDRESS_IN_FLIGHT": "1"])
    let door = Door()
    world.consent.on(slow) { _, _ in
      await door.pass()
      return [:]
    }
    let endpoint = world.server.zeroMQEndpoint!
    let token = world.person
    try await offPool {
      let context = try Context()
      let socket = try Socket(.dealer, in: context)
      try socket.connect(endpoint)
      func send(_ text: String) throws { while try !socket.send(Array(text.utf8)) {} }
      func receive() throws -> JSONValue {
        let poller = try Poller()
        try poller.replaceItems([PollItem(socket)])
        while true {
          if let frames = try socket.receive() { return try JSON.decode(JSONValue.self, from: frames[0]) }
          try poller.poll(timeout: 10_000)
        }
      }
      let meta = #"{"_meta":{"token":"\#(token)"}}"#
      try send(#"{"jsonrpc":"2.0","id":"slow","method":"consent.history","params":\#(meta)}"#)
      try send(#"{"jsonrpc":"2.0","id":2,"method":"rpc.discover"}"#)
      #expect(try receive()["error"]?["data"]?["reason"]?.stringValue == "addressInFlight")
      try send(#"{"jsonrpc":"2.0","id":3,"method":"rpc.cancel","params":{"id":"slow"}}"#)
      let answers = [try receive(), try receive()]
      #expect(answers.contains { $0["result"]?["found"] == .bool(true) })
      #expect(answers.contains { $0["error"]?["code"]?.integerValue == -32001 })
      try send(#"{"jsonrpc":"2.0","id":4,"method":"rpc.health"}"#)
      #expect(try receive()["result"] != nil)
    }
    door.open()
  }

  /// Each is refused without asking anybody, in another way.
  static let floods: [[String]] = [
    [#"{"jsonrpc":"2.0","id":0,"method":"no.such"}"#], [#"{"jsonrpc":"2.0","id":0,"method":"consent.get"}"#],
    [#"{"jsonrpc":"2.0","id":0}"#], ["ASNT1", "no metadata", "{}"], Array(repeating: "x", count: 20),
    [#"[{"jsonrpc":"2.0","id":0,"method":"no.such"},{"jsonrpc":"2.0","id":0,"method":"consent.get"}]"#],
  ]
  @Test(arguments: floods)
  func `whoever floods with calls that are refused waits for the answers, each gets one, and good calls go first`(
    _ refused: [String]
  ) async throws {
    let world = try await world([:])
    let endpoint = world.server.zeroMQEndpoint!
    let token = world.checker
    // Far more than are told at once, even if this takes a second or two.
    let flood = 5_000
    let placeOfGood = try await offPool {
      let context = try Context()
      let socket = try Socket(.dealer, in: context)
      try socket.connect(endpoint)
      func send(_ frames: [String]) throws {
        for (index, frame) in frames.enumerated() {
          while try !socket.send(Array(frame.utf8), more: index < frames.count - 1) {}
        }
      }
      for _ in 0..<flood { try send(refused) }
      try send([#"{"jsonrpc":"2.0","id":1,"method":"consent.check","params":{"_meta":{"token":"\#(token)"}}}"#])
      let poller = try Poller()
      try poller.replaceItems([PollItem(socket)])
      var place: Int?
      var answers = 0
      while answers <= flood {
        guard let frames = try socket.receive() else {
          try poller.poll(timeout: 1_000)
          continue
        }
        if String(decoding: frames.last!, as: UTF8.self).contains(#""id":1,"result""#) { place = answers }
        answers += 1
      }
      return place
    }
    #expect(try #require(placeOfGood) < flood - 100)
    #expect(try await world.call("consent.check", "{}", as: world.checker).status == 200)
  }

  @Test func `calls hold no more bytes together than there is room for`() async throws {
    let world = try await world(["ASSENT_BUFFER_MIB": "2"])
    let door = Door()
    world.consent.on(slow) { _, _ in
      await door.pass()
      return [:]
    }
    let filling = String(repeating: "x", count: 900_000)
    let body = #"{"jsonrpc":"2.0","id":1,"method":"consent.history","params":{"x":"\#(filling)"}}"#
    async let first = world.post(body, as: world.person)
    async let second = world.post(body, as: world.person)
    await world.until { world.consent.calls(of: slow).count == 2 }
    refusal(try await world.post(body, as: world.person), "memory")
    door.open()
    #expect(try await first.status == 200)
    #expect(try await second.status == 200)
    #expect(try await world.post(body, as: world.person).status == 200)
  }

  @Test func `an address opens so many connections; one more is told so`() async throws {
    let world = try await World(["ASSENT_ADDRESS_CONNECTIONS": "2"])
    let open = [world.client(), world.client()]
    for client in open { #expect(try await client.request("GET", "/health/live")?.status == 200) }
    let body = #"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#
    let refused = try #require(try await world.client().request("POST", "/rpc", body))
    refusal(refused, "addressConnections")
  }

  @Test(arguments: [
    ("ASSENT_PERSON_RATE", "-1"), ("ASSENT_KEY_BURST", "0"), ("ASSENT_ADDRESS_IN_FLIGHT", "many"),
    ("ASSENT_BUFFER_MIB", "1"), ("ASSENT_ADDRESS_CONNECTIONS", "x"), ("ASSENT_HTTP_SEND_SECONDS", "0"),
  ])
  func `a limit that is none is told by its key`(_ key: String, _ value: String) {
    let error = #expect(throws: ConfigurationError.self) {
      try GatewayConfiguration(Configuration(["ASSENT_BUS_DIR": "/x", key: value]))
    }
    #expect(error?.key == key)
  }

  @Test func `connections fit into the descriptors there are`() throws {
    var configuration = try GatewayConfiguration(
      Configuration(["ASSENT_BUS_DIR": "/x", "ASSENT_HTTP_CONNECTIONS": "4096"]))
    #expect(configuration.fit(into: 65_536) == nil)
    #expect(configuration.http?.connectionLimit == 4_096)
    #expect(configuration.fit(into: 1_024)?.contains("512 HTTP connections") == true)
    #expect(configuration.http?.connectionLimit == 512)
  }
}
