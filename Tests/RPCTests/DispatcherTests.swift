// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import RPC
import RPCTesting
import Testing
import Threading

@Suite struct DispatcherTests {
  @Test func aCallIsDecodedRunAndAnswered() async throws {
    let server = TestServer()
    let params = EchoParams(text: "é\u{1F600}\"", number: 7)
    #expect(try await server.call(TestMethods.echo, params) == params)
  }

  static let refused: [(String, ErrorCode)] = [
    (#"{"jsonrpc":"2.0","id":1,"method":"test.nothing"}"#, .methodNotFound),
    (#"{"jsonrpc":"2.0","id":1,"method":"test.echo"}"#, .invalidParams),
    (#"{"jsonrpc":"2.0","id":1,"method":"test.echo","params":["a"]}"#, .invalidParams),
    (#"{"jsonrpc":"2.0","id":1,"method":"test.echo","params":{"text":"a","other":1}}"#, .invalidParams),
    (#"{"jsonrpc":"2.0","id":1,"method":"test.echo","params":{"text":1}}"#, .invalidParams),
    (#"{"jsonrpc":"2.0","id":1,"method":"test.personal"}"#, .unauthenticated),
    (#"{"jsonrpc":"2.0","id":1,"method":"test.refuse","params":{"text":"a"}}"#, .failedPrecondition),
    (#"{"jsonrpc":"1.0","id":1,"method":"test.echo"}"#, .invalidRequest),
    (#"[]"#, .invalidRequest),
    (#"{"jsonrpc":"2.0""#, .parseError),
  ]
  @Test(arguments: refused) func aFaultyCallIsAnsweredWithItsCode(_ message: String, _ code: ErrorCode) async throws {
    let reply = try await TestServer().raw(message)
    guard case .error(_, let error) = Array(reply.utf8).withUnsafeBytes({ Response.parse($0) }) else {
      Issue.record("no error: \(reply)")
      return
    }
    #expect(error.code == code)
    #expect(error.processed == .no)
  }

  static let callers: [(Principal, Method<Empty, Empty>, ErrorCode?)] = [
    (.anonymous, TestMethods.personal, .unauthenticated),
    (Principal(kind: .device, deviceId: "d"), TestMethods.personal, .permissionDenied),
    (Principal(kind: .user, accountId: "a"), TestMethods.personal, nil),
    (Principal(kind: .key, name: "k", scopes: ["check"]), TestMethods.scoped, nil),
    (Principal(kind: .key, name: "k", scopes: ["decide"]), TestMethods.scoped, .permissionDenied),
    (Principal(kind: .key, name: "k", role: "officer"), TestMethods.scoped, nil),
    (Principal(kind: .key, name: "k", role: "operator"), TestMethods.scoped, .permissionDenied),
    (Principal(kind: .key, name: "k", role: "admin"), TestMethods.scoped, nil),
    (Principal(kind: .key, name: "k", role: "admin"), TestMethods.personal, .permissionDenied),
    (Principal(kind: .service, name: "x"), TestMethods.scoped, .permissionDenied),
  ]
  @Test(arguments: callers) func onlyTheCallersOfAMethodAreLetIn(
    _ caller: Principal, _ method: Method<Empty, Empty>, _ code: ErrorCode?
  ) async throws {
    let server = TestServer()
    do {
      _ = try await server.call(method, Empty(), CallMetadata(principal: caller))
      #expect(code == nil)
    } catch let error as RPCError {
      #expect(error.code == code)
    }
  }

  @Test func anExpiredRequestIsNeverExecuted() async throws {
    let metadata = CallMetadata(expiresAt: MonotonicClock.milliseconds() - 1)
    let error = await #expect(throws: RPCError.self) {
      try await TestServer().call(TestMethods.echo, EchoParams(text: "a"), metadata)
    }
    #expect(error?.code == .deadlineExceeded)
    #expect(error?.processed == .no)
  }

  @Test func aBatchIsAnsweredInOrderWithoutItsNotifications() async throws {
    let reply = try await TestServer().raw(
      #"""
      [{"jsonrpc":"2.0","id":"x","method":"test.echo","params":{"text":"1"}},
       {"jsonrpc":"2.0","method":"test.echo","params":{"text":"2"}},
       {"jsonrpc":"2.0","id":9007199254740993,"method":"test.echo","params":{"text":"3"}},
       1]
      """#)
    #expect(
      reply.hasPrefix(#"[{"jsonrpc":"2.0","id":"x","result":{"text":"1"}},{"jsonrpc":"2.0","id":9007199254740993,"#))
    #expect(reply.contains(#""code":-32600"#))
    #expect(!reply.contains(#""2"}"#))
  }

  @Test func notificationsAreRunAndAnsweredWithNothing() async throws {
    let server = TestServer()
    #expect(try await server.raw(#"{"jsonrpc":"2.0","method":"test.echo","params":{"text":"2"}}"#) == "")
    #expect(
      try await server.raw(#"[{"jsonrpc":"2.0","method":"test.nothing"},{"jsonrpc":"2.0","method":"test.refuse"}]"#)
        == "")
    #expect(
      try await server.raw(#"[{"jsonrpc":"2.0","method":"test.echo","params":{"text":"3"}},7]"#).hasPrefix("[{"))
    let stats = try await server.call(
      RuntimeMethods.stats, Empty(), CallMetadata(principal: Principal(kind: .key, name: "o", role: "operator")))
    #expect(stats.methods.first { $0.name == "test.echo" }?.calls == 2, "alone and in a batch")
  }

  @Test func membersOfABatchHaveKeysOfTheirOwn() async throws {
    let call = #"{"jsonrpc":"2.0","id":1,"method":"test.key"}"#
    let reply = try await TestServer().raw("[\(call),\(call)]", CallMetadata(idempotencyKey: "k"))
    #expect(reply.contains(#""text":"k#0""#) && reply.contains(#""text":"k#1""#))
  }

  @Test func callsOverTheCapAreRefusedAndTheOthersAnswered() async throws {
    let server = TestServer(inFlight: 3)
    async let first = server.call(TestMethods.waiting, Empty())
    async let second = server.call(TestMethods.waiting, Empty())
    await server.gate.waitForArrivals(2)
    let error = await #expect(throws: RPCError.self) { try await server.call(TestMethods.echo, EchoParams(text: "")) }
    #expect(error?.code == .resourceExhausted && error?.retryable == true && error?.processed == .no)
    server.gate.open()
    _ = try await (first, second)
    #expect(try await server.call(TestMethods.echo, EchoParams(text: "again")).text == "again")
    #expect(server.dispatcher.callsInFlight == 0)
  }

  @Test func cancellingACallReachesItsHandler() async throws {
    let server = TestServer()
    let call = Task { try await server.call(TestMethods.waiting, Empty()) }
    await server.gate.waitForArrivals(1)
    call.cancel()
    let error = await #expect(throws: RPCError.self) { try await call.value }
    #expect(error?.code == .cancelled)
    while server.dispatcher.callsInFlight > 0 { await Task.yield() }
  }

  @Test func aCancelRightBehindItsRequestTakesEffect() async throws {
    let server = TestServer()
    async let waiting = server.raw(#"{"jsonrpc":"2.0","id":"w","method":"test.wait"}"#)
    await server.gate.waitForArrivals(1)
    let unknown = try await server.raw(#"{"jsonrpc":"2.0","id":2,"method":"rpc.cancel","params":{"id":"other"}}"#)
    #expect(unknown.contains(#"{"found":false}"#))
    // In process every call has a correlation frame, so it is cancelled by that: the first token is 1.
    let correlation = Correlation(high: 0, low: 1).hexadecimal
    let found = try await server.raw(
      #"{"jsonrpc":"2.0","id":3,"method":"rpc.cancel","params":{"id":"\#(correlation)"}}"#)
    #expect(found.contains(#"{"found":true}"#))
    #expect(try await waiting.contains(#""code":-32001"#))
  }

  @Test(arguments: [
    ("rpc.health", #"{"x":1}"#, "x"), ("rpc.discover", #"{"x":1}"#, "x"),
    ("rpc.cancel", #"{"id":{}}"#, "id"), ("rpc.cancel", #"{"id":true}"#, "id"), ("rpc.cancel", "{}", "id"),
  ]) func runtimeMethodsNameTheParamThatIsNoGood(_ method: String, _ params: String, _ field: String) async throws {
    let reply = try await TestServer().raw(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#)
    #expect(reply.contains(#""code":-32602"#) && reply.contains(#""field":"\#(field)""#))
  }

  @Test func aCallThatIsNotAnsweredEndsAtItsDeadline() async throws {
    let server = TestServer()
    let error = await #expect(throws: RPCError.self) {
      try await server.client.call(TestMethods.waiting, Empty(), deadline: .after(milliseconds: 50), CallMetadata())
    }
    #expect(error?.code == .deadlineExceeded)
    #expect(error?.processed == .unknown)
    server.gate.open()
  }

  @Test func aFaultIsReportedWithoutItsText() async throws {
    let server = TestServer()
    let reply = try await server.raw(#"{"jsonrpc":"2.0","id":1,"method":"test.fault","params":{"text":"secret"}}"#)
    #expect(reply.contains(#""code":-32603"#) && reply.contains(#""processed":"unknown""#))
    #expect(!reply.contains("secret"))
    #expect(server.faults.withLock { $0 } == ["test.fault"])
  }

  @Test func `a server that is not open yet says how it is, and refuses calls unseen until it is`() async throws {
    let server = TestServer()
    let echo = #"{"jsonrpc":"2.0","id":1,"method":"test.echo","params":{"text":"x"}}"#
    server.health.setOpening()
    let health = try await server.raw(#"{"jsonrpc":"2.0","id":1,"method":"rpc.health"}"#)
    #expect(health.contains(#""status":"NOT_SERVING""#))
    let early = await server.reply(to: echo)
    #expect(early.metadata.refused == true && early.metadata.draining == true)
    let refusal = String(decoding: early.body, as: UTF8.self)
    #expect(refusal.contains(#""reason":"starting""#) && refusal.contains(#""processed":false"#))
    server.health.setServing()
    #expect(await server.reply(to: echo).metadata.draining == nil)
    // Or it is closed, which callers are to hear where no other replica serves.
    server.health.setOpening()
    server.health.close(because: .failedPrecondition("behind", reason: "behind"))
    let closed = await server.reply(to: echo)
    #expect(String(decoding: closed.body, as: UTF8.self).contains(#""reason":"behind""#))
    #expect(closed.metadata.refused == true && closed.metadata.draining == true)
    #expect(closed.metadata.errorCode == ErrorCode.failedPrecondition.rawValue)
    #expect(await server.reply(to: "[\(echo),\(echo)]").metadata.refused == true)
    #expect(await server.reply(to: #"{"jsonrpc":"2.0","id":1,"method":"rpc.health"}"#).metadata.refused == nil)
  }

  @Test func aDrainingServerSaysSoAndThenRefusesNewCallsUnprocessed() async throws {
    let server = TestServer()
    let echo = #"{"jsonrpc":"2.0","id":1,"method":"test.echo","params":{"text":""}}"#
    #expect(await server.reply(to: echo).metadata.draining == nil)
    server.health.setDraining()
    #expect(try await server.call(TestMethods.echo, EchoParams(text: "taken")).text == "taken")
    #expect(await server.reply(to: echo).metadata.draining == true)
    #expect(try await server.call(RuntimeMethods.health, Empty()).status == .notServing)
    server.health.setRefusing()
    for (body, code) in [(echo, ErrorCode.unavailable), ("[\(echo),\(echo)]", .unavailable)] {
      let metadata = await server.reply(to: body).metadata
      #expect(metadata.refused == true && metadata.errorCode == code.rawValue && metadata.draining == true)
    }
    // One member was carried out, so the message must not go elsewhere.
    let health = #"{"jsonrpc":"2.0","id":2,"method":"rpc.health"}"#
    #expect(await server.reply(to: "[\(echo),\(health)]").metadata.refused == nil)
    let error = await #expect(throws: RPCError.self) { try await server.call(TestMethods.echo, EchoParams(text: "")) }
    #expect(error?.code == .unavailable && error?.processed == .no && error?.retryable == true)
    #expect(try await server.call(RuntimeMethods.health, Empty()).status == .notServing)
  }

  /// What an error carries counts like a result (the case of geth#33814).
  @Test(arguments: ["result", "error"])
  func aBatchsAnswersAreBoundedTogether(_ kind: String) async throws {
    var router = MethodRouter()
    let large = Method<Empty, EchoParams>("test.large", "Gives 1000 bytes, as a result or an error", .anyone)
    let text = String(repeating: "x", count: 1_000)
    router.on(large) { _, _ in
      if kind == "result" { return EchoParams(text: text) }
      throw RPCError(.aborted, "no", reason: "no", details: ["text": .string(text)])
    }
    var limits = Dispatcher.Limits()
    limits.batchReplyBytes = 3_900
    let transport = InProcessTransport(Dispatcher(router, title: "test", limits: limits))
    let member = #"{"jsonrpc":"2.0","id":1,"method":"test.large","params":{}}"#
    let request = OutboundRequest(
      body: Array("[\(member),\(member),\(member),\(member),\(member)]".utf8), metadata: Array("{}".utf8),
      deadline: .after(milliseconds: 30_000))
    let reply = await withCheckedContinuation { continuation in
      _ = transport.send(request) { continuation.resume(returning: $0) }
    }
    guard case .reply(let body, _) = reply else { throw RPCError.internalError() }
    let answers = try JSON.decode([JSONValue].self, from: body)
    #expect(answers.count == 5)
    let tooLarge = answers.filter { $0["error"]?["data"]?["reason"]?.stringValue == "batchReplySize" }
    #expect(tooLarge.count == 2)
    for answer in tooLarge { #expect(answer["error"]?["data"]?["processed"] == true) }
  }

  @Test func aConnectionThatFloodsLeavesPlacesForOthers() async throws {
    let server = TestServer(inFlight: 90)
    var refused: [UInt64: Int] = [:]
    func flood(_ connection: UInt64, _ count: Int) {
      for _ in 0..<count {
        let reply = server.replyAtOnce(
          to: #"{"jsonrpc":"2.0","id":1,"method":"test.wait","params":{}}"#, connection: connection)
        if reply?.metadata.refused == true { refused[connection, default: 0] += 1 }
      }
    }
    // Half of the places, then half of what is left, and so on: nobody finds none.
    flood(10, 200)
    #expect(refused[10] == 155)
    flood(20, 40)
    #expect(refused[20] == 17)
    flood(30, 5)
    #expect(refused[30] == nil)
    // Reads that are answered at once take no place.
    for _ in 0..<100 { #expect(try await server.call(TestMethods.echo, EchoParams(text: "x")).text == "x") }
    server.gate.open()
  }

  @Test func interceptorsRunInOrderAroundTheHandler() async throws {
    struct Named: ServerInterceptor {
      let name: String
      let seen: Lock<[String]>
      func intercept(
        _ method: MethodDescriptor, _ context: CallContext,
        next: @escaping @Sendable (CallContext) async throws -> [UInt8]
      ) async throws -> [UInt8] {
        seen.withLock { $0.append("\(name) in \(method.name)") }
        defer { seen.withLock { $0.append("\(name) out") } }
        return try await next(context)
      }
    }
    let seen = Lock<[String]>([])
    let server = TestServer(interceptors: [Named(name: "a", seen: seen), Named(name: "b", seen: seen)])
    _ = try await server.call(TestMethods.echo, EchoParams(text: ""))
    #expect(seen.withLock { $0 } == ["a in test.echo", "b in test.echo", "b out", "a out"])
  }

  @Test func `what is known is answered at once, and what is not by the handler`() async throws {
    let server = TestServer()
    #expect(
      server.replyAtOnce(to: knowing("kind", id: #""a""#), connection: 1)?.text
        == #"{"jsonrpc":"2.0","id":"a","result":{"text":"known","number":7}}"#)
    async let found = server.reply(to: knowing("other", id: "1"))
    await server.gate.waitForArrivals(1)
    server.gate.open()
    #expect(await found.text == #"{"jsonrpc":"2.0","id":1,"result":{"text":"found","number":7}}"#)
    #expect(try await server.call(TestMethods.knowing, EchoParams(text: "other")) == EchoParams(text: "found"))
    // A notification is answered with nothing, a batch's member in its place.
    #expect(server.replyAtOnce(to: knowing("kind", id: nil), connection: 1)?.text == "")
    #expect(
      await server.reply(to: "[\(knowing("kind", id: "1")),\(knowing("other", id: "2")),\(knowing("kind", id: nil))]")
        .text
        == #"[{"jsonrpc":"2.0","id":1,"result":{"text":"known","number":7}},{"jsonrpc":"2.0","id":2,"result":{"text":"found","number":7}}]"#
    )
    let operation = CallMetadata(principal: Principal(kind: .key, name: "k", role: "operator"))
    let statistics = try await server.call(RuntimeMethods.stats, Empty(), operation).methods.first {
      $0.name == "test.know"
    }
    #expect(statistics?.calls == 7)
    #expect(statistics?.inFlight == 0)
  }

  @Test(arguments: [("kept back", ErrorCode.failedPrecondition, []), ("kernel", .internalError, ["test.know"])])
  func `a failure to know is told as any other`(_ text: String, _ code: ErrorCode, _ faults: [String]) async throws {
    let server = TestServer()
    let error = await #expect(throws: RPCError.self) {
      try await server.call(TestMethods.knowing, EchoParams(text: text), CallMetadata(requestId: "r1"))
    }
    #expect(error?.code == code)
    #expect(error?.processed == .no)
    #expect(error?.requestId == "r1")
    #expect(server.faults.withLock { $0 } == faults)
  }

  @Test func `interceptors see calls whose answers are known`() async throws {
    struct Refusing: ServerInterceptor {
      func intercept(
        _ method: MethodDescriptor, _ context: CallContext,
        next: @escaping @Sendable (CallContext) async throws -> [UInt8]
      ) async throws -> [UInt8] {
        throw RPCError.permissionDenied("not today")
      }
    }
    let server = TestServer(interceptors: [Refusing()])
    let error = await #expect(throws: RPCError.self) {
      try await server.call(TestMethods.knowing, EchoParams(text: "kind"))
    }
    #expect(error?.code == .permissionDenied)
  }

  private func knowing(_ text: String, id: String?) -> String {
    #"{"jsonrpc":"2.0",\#(id.map { #""id":\#($0),"# } ?? "")"method":"test.know","params":{"text":"\#(text)","number":7}}"#
  }

  @Test func discoveryNamesEveryMethod() async throws {
    let document = try await TestServer().call(RuntimeMethods.discover, Empty())
    let methods = try JSON.decode(JSONValue.self, from: document.bytes)["methods"]?.arrayValue ?? []
    let names = Set(methods.compactMap { $0["name"]?.stringValue })
    #expect(
      names.isSuperset(of: ["test.echo", "test.scoped", "rpc.health", "rpc.stats", "rpc.cancel", "rpc.discover"]))
  }

  @Test func aReplyThatIsTooLargeIsReplacedByAnErrorThatSaysTheCallWasMade() async throws {
    let server = TestServer()
    let text = String(repeating: "x", count: 4 << 20)
    let error = await #expect(throws: RPCError.self) {
      _ = try await server.call(TestMethods.echo, EchoParams(text: text))
    }
    #expect(error?.code == .resourceExhausted && error?.reason == "replyTooLarge")
    #expect(error?.processed == .yes && error?.retryable == false)
  }

}

extension OutboundReply {
  fileprivate var text: String { String(decoding: body, as: UTF8.self) }
}
