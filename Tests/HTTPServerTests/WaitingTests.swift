// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Testing

/// Requests that are not answered at once: their connections are suspended.
@Suite(.timeLimit(.minutes(5))) struct WaitingTests {
  let server: TestServer

  init() throws { server = try TestServer() }

  static let later = "POST /later HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\n"

  @Test func manyWaitAndEachGetsItsAnswer() async throws {
    let clients = (0..<100).map { _ in TestClient(port: server.port) }
    var events = server.events.makeAsyncIterator()
    for (index, client) in clients.enumerated() { client.send(Self.later + "\(index % 10)") }
    for _ in clients { #expect(await events.next()?.hasPrefix("received") == true) }
    server.onLoop { $1.answerAll("yes") }
    for client in clients { #expect(client.response()?.body == "yes") }
    for client in clients { client.send("GET /again HTTP/1.1\r\nHost: h\r\n\r\n") }
    for client in clients { #expect(client.response()?.status == 200) }
  }

  /// Whatever libmicrohttpd says: it wants to run without a pause.
  @Test func theLoopMaySleepWhileARequestWaits() async throws {
    let client = TestClient(port: server.port)
    client.send(Self.later + "1")
    var events = server.events.makeAsyncIterator()
    #expect(await events.next() == "received 1")
    server.onLoop { server, handler in
      server.turn()
      handler.report.yield("may sleep: \(server.nextTimeout != 0)")
      handler.answerAll("yes")
      handler.report.yield("may sleep: \(server.nextTimeout != 0)")
    }
    #expect(await events.next() == "may sleep: true")
    #expect(await events.next() == "may sleep: false")
    #expect(client.response()?.body == "yes")
  }

  /// Between what a client sends and its answer the loop is always told to go on at once.
  @Test(arguments: [
    "GET /quick HTTP/1.1\r\nHost: h\r\n\r\n", "POST /quick HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc",
    later + "2",
  ])
  func othersAreAnsweredWithoutASleepWhileARequestWaits(_ request: String) async throws {
    let waiting = TestClient(port: server.port)
    // Used on the server's thread from when it is handed over.
    nonisolated(unsafe) let quick = TestClient(port: server.port)
    quick.send("GET /first HTTP/1.1\r\nHost: h\r\n\r\n")
    #expect(quick.response()?.status == 200)
    waiting.send(Self.later + "1")
    var events = server.events.makeAsyncIterator()
    #expect(await events.next() == "received 1")
    server.onLoop { server, handler in
      let first = handler.waiting.removeFirst()
      defer { handler.waiting = [first] }
      for round in 0..<50 {
        quick.send(request)
        var turns = 0
        while !quick.hasInput {
          let ready = TestServer.ready(server)
          guard ready || server.nextTimeout == 0 else {
            handler.report.yield("sleeps after \(turns) turns of round \(round)")
            return
          }
          server.turn()
          turns += 1
          if !handler.waiting.isEmpty { handler.answerAll("then") }
        }
        guard quick.response()?.status == 200 else { break }
      }
      handler.report.yield("never sleeps")
    }
    while let event = await events.next() {
      if event == "received 2" { continue }
      #expect(event == "never sleeps")
      break
    }
  }

  /// A loop that others wake asks again and again how long it may sleep.
  @Test func slowClientsAreLookedForThoughTheLoopIsWokenForOthers() async throws {
    let client = TestClient(port: server.port)
    client.send("GET /echo HTTP/1.1\r\nHost: h\r\n\r\n")
    #expect(client.response()?.status == 200)
    var events = server.events.makeAsyncIterator()
    server.onLoop { server, handler in
      server.turn()
      let first = server.nextTimeout ?? .max
      let asked = ContinuousClock.now
      while asked.duration(to: .now) < .milliseconds(20) {}
      handler.report.yield("sooner: \((server.nextTimeout ?? .max) < first || first == 0)")
    }
    #expect(await events.next() == "sooner: true")
  }

  @Test func bodiesAndStreamsThatTakeManyRunsGoOnBesideAWaitingRequest() async throws {
    let (waiting, uploading, streaming) = (
      TestClient(port: server.port), TestClient(port: server.port), TestClient(port: server.port)
    )
    waiting.send(Self.later + "1")
    var events = server.events.makeAsyncIterator()
    #expect(await events.next() == "received 1")
    let body = String(repeating: "x", count: 1 << 20)
    uploading.send("POST /big HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body)
    #expect(uploading.response()?.body.hasPrefix("post /big - - 1048576 ") == true)
    streaming.send("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n")
    #expect(await events.next() == "received ")
    server.onLoop { server, handler in
      let id = handler.waiting.removeLast()
      server.write(id, Array(body.utf8))
      server.endStream(id)
    }
    #expect(streaming.response()?.body.utf8.count == 1 << 20)
    server.onLoop { $1.answerAll("yes") }
    #expect(waiting.response()?.body == "yes")
  }

  @Test(arguments: ["close", "reset", "finishSending"]) func aHangUpIsToldWhileWaiting(_ way: String) async throws {
    let client = TestClient(port: server.port)
    client.send(Self.later + "1")
    var events = server.events.makeAsyncIterator()
    #expect(await events.next() == "received 1")
    switch way {
    case "close": client.close()
    case "reset": client.reset()
    default: client.finishSending()
    }
    #expect(await events.next() == "left 0")
    // The late answer meets nobody, and a new request in the same slot is not answered by it.
    let next = TestClient(port: server.port)
    next.send(Self.later + "2")
    #expect(await events.next() == "received 2")
    server.onLoop { server, handler in
      let old = handler.waiting.removeFirst()
      let taken = server.respond(old, status: 200, headers: [], body: [])
      handler.report.yield("late answer taken: \(taken)")
      handler.answerAll("mine")
    }
    #expect(await events.next() == "late answer taken: false")
    #expect(next.response()?.body == "mine")
  }

  @Test func aRequestIsAnsweredOnce() async {
    let client = TestClient(port: server.port)
    client.send(Self.later + "1")
    var events = server.events.makeAsyncIterator()
    _ = await events.next()
    server.onLoop { server, handler in
      handler.answerAll("first")
      let again = server.respond(handler.answered[0], status: 500, headers: [], body: [])
      handler.report.yield("again: \(again)")
    }
    #expect(await events.next() == "again: false")
    #expect(client.response()?.body == "first")
  }

  @Test func aStreamIsWrittenBitByBit() async {
    let client = TestClient(port: server.port)
    client.send("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n")
    #expect(client.head()?.headers["content-type"] == "text/event-stream")
    for text in ["data: 1\n\n", "data: 2\n\n"] {
      server.onLoop { server, handler in server.write(handler.waiting[0], Array(text.utf8)) }
      #expect(client.chunk() == text)
    }
    server.onLoop { server, handler in server.endStream(handler.waiting[0]) }
    #expect(client.chunk() == "")
    client.send("GET /next HTTP/1.1\r\nHost: h\r\n\r\n")
    #expect(client.response()?.status == 200)
  }

  @Test func aLargeStreamArrivesWhole() async {
    let client = TestClient(port: server.port)
    client.send("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n")
    var events = server.events.makeAsyncIterator()
    #expect(await events.next() == "received ")
    server.onLoop { server, handler in
      for _ in 0..<100 { server.write(handler.waiting[0], [UInt8](repeating: 120, count: 10_000)) }
      server.endStream(handler.waiting[0])
    }
    #expect(client.response()?.body.utf8.count == 1_000_000)
  }

  @Test func aStreamsClientThatLeavesIsToldOfAndWritesMeetNobody() async {
    let client = TestClient(port: server.port)
    client.send("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n")
    _ = client.head()
    client.close()
    var events = server.events.makeAsyncIterator()
    #expect(await events.next() == "received ")
    #expect(await events.next() == "left 0")
    server.onLoop { server, handler in
      handler.report.yield("written: \(server.write(handler.waiting[0], [1]) == nil)")
    }
    #expect(await events.next() == "written: true")
  }

  @Test func stoppingClosesWaitingRequestsAndStreams() async {
    let waiting = (0..<20).map { _ in TestClient(port: server.port) }
    let stream = TestClient(port: server.port)
    let idle = TestClient(port: server.port)
    var events = server.events.makeAsyncIterator()
    for client in waiting { client.send(Self.later + "1") }
    stream.send("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n")
    for _ in 0...waiting.count { _ = await events.next() }
    _ = stream.head()
    server.stop()
    #expect(await events.next() == "stopped")
    for client in waiting { #expect(client.response() == nil) }
    #expect(stream.chunk() == nil)
    #expect(idle.isAtEnd)
  }

  @Test func drainingClosesEachConnectionWithItsAnswer() async {
    let client = TestClient(port: server.port)
    client.send(Self.later + "1")
    var events = server.events.makeAsyncIterator()
    _ = await events.next()
    server.onLoop { server, handler in
      server.stopAccepting()
      server.closesConnections = true
      handler.answerAll("bye")
    }
    let response = client.response()
    #expect(response?.body == "bye" && response?.headers["connection"]?.lowercased() == "close")
    #expect(client.isAtEnd)
  }

  @Test(arguments: ["GET / HTTP/1.1\r\nHo", "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nab", ""])
  func aSenderThatStallsIsCutOff(_ start: String) throws {
    let server = try TestServer(HTTPServerConfiguration(idleSeconds: 1, receiveSeconds: 1))
    let client = TestClient(port: server.port)
    client.send(start)
    while client.response() != nil {}
    #expect(client.isAtEnd)
  }

  @Test func theConnectionLimitHolds() throws {
    let server = try TestServer(HTTPServerConfiguration(connectionLimit: 2))
    let first = TestClient(port: server.port)
    let second = TestClient(port: server.port)
    let get = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"
    first.send(get)
    second.send(get)
    #expect(first.response()?.status == 200 && second.response()?.status == 200)
    let third = TestClient(port: server.port)
    third.send(get)
    first.close()
    #expect(third.response()?.status == 200)
  }

  @Test func aUsedPortIsTold() throws {
    #expect(throws: HTTPServerError.self) { try TestServer(HTTPServerConfiguration(port: server.port)) }
    do {
      _ = try TestServer(HTTPServerConfiguration(port: server.port))
    } catch let error as HTTPServerError {
      #expect(error.description == "127.0.0.1:\(server.port): Address already in use")
    }
    #expect(throws: HTTPServerError.self) { try TestServer(HTTPServerConfiguration(address: "localhost")) }
  }
}
