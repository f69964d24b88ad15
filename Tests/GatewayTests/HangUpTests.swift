// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSONRPC
import RPC
import RPCZeroMQ
import Testing

/// A client that goes away, with the bus between the gateway and the service.
@Suite(.timeLimit(.minutes(5))) struct HangUpTests {
  @Test func `an HTTP client that hangs up cancels the handler behind the bus`() async throws {
    var template = Array("/tmp/assent-gateway-XXXXXX".utf8CString)
    mkdtemp(&template)
    let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer {
      unlink("\(folder)/s")
      rmdir(folder)
    }
    let (events, report) = AsyncStream.makeStream(of: String.self)
    var router = MethodRouter()
    router.on(Method<JSONValue, JSONValue>("consent.history", "Waits", .anyone)) { _, _ in
      report.yield("began")
      do { try await Task.sleep(for: .seconds(60)) } catch { report.yield("cancelled") }
      return [:]
    }
    let threads = [try SocketThread(), try SocketThread()]
    _ = try await ZeroMQServer.bind(
      "ipc://\(folder)/s", Dispatcher(router, title: "consent-service"), on: threads[0])
    let bus = try await ZeroMQClient.connect("ipc://\(folder)/s", on: threads[1])
    let world = try await World(wrap: { name, transport -> any ClientTransport in
      if name == "consent-service" { return bus }
      return transport
    })
    try await world.ready()
    let client = world.client()
    client.send(
      "POST", "/rpc", #"{"jsonrpc":"2.0","id":1,"method":"consent.history","params":{}}"#,
      headers: ["Authorization": "Bearer \(world.person)"])
    var iterator = events.makeAsyncIterator()
    #expect(await iterator.next() == "began")
    client.close()
    #expect(await iterator.next() == "cancelled")
    for thread in threads { await thread.stop() }
  }
}
