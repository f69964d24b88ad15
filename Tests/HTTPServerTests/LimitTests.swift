// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

@testable import HTTPServer
import Testing
import Threading

/// What one client may cost the others.
@Suite(.timeLimit(.minutes(5))) struct LimitTests {
  static let get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

  private func post(_ path: String, _ length: Int) -> String {
    "POST \(path) HTTP/1.1\r\nHost: h\r\nContent-Length: \(length)\r\n\r\n"
  }

  @Test func `an address with too many connections is refused on further ones, and served again when some are closed`()
  {
    let server = try! TestServer(HTTPServerConfiguration(connectionsPerAddress: 2))
    let open = (0..<2).map { _ in TestClient(port: server.port) }
    for client in open {
      client.send(Self.get)
      #expect(client.response()?.status == 200)
    }
    let third = TestClient(port: server.port)
    third.send(Self.get)
    #expect(third.response()?.status == 429)
    #expect(third.isAtEnd)
    for client in open {
      client.send(Self.get)
      #expect(client.response()?.status == 200)
    }
    open[0].close()
    var status: Int?
    while status != 200 {
      let next = TestClient(port: server.port)
      next.send(Self.get)
      status = next.response()?.status
    }
  }

  @Test(arguments: [
    ("192.0.2.7", "192.0.2.7"), ("::1", "::/64"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
    ("2001:db8:1:2::ffff", "2001:db8:1:2::/64"), ("::ffff:192.0.2.7", "192.0.2.7"), ("not one", "not one"),
    ("a:b", "a:b"),
    ("", ""),
  ])
  func `one client is an address of IPv4 or a network of IPv6`(_ address: String, _ network: String) {
    #expect(HTTPSource.network(of: address) == network)
  }

  @Test func `connections are accepted again after all that filled the server have left at once`() async throws {
    let server = try TestServer(HTTPServerConfiguration(connectionLimit: 10))
    for _ in 0..<20 {
      let clients = (0..<10).map { _ in TestClient(port: server.port) }
      #expect(server.comes { $0.openConnections >= 10 })
      for client in clients { client.close() }
      let next = TestClient(port: server.port)
      next.send(Self.get)
      #expect(next.response()?.status == 200)
      next.close()
      #expect(server.comes { $0.openConnections <= 0 })
    }
  }

  @Test(arguments: ["", "POST / HT", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 900\r\n\r\n{"])
  func `when all places are taken by those who send nothing whole, others find one`(_ start: String) async throws {
    let server = try TestServer(HTTPServerConfiguration(connectionLimit: 10))
    let slow = (0..<9).map { _ in TestClient(port: server.port, from: 2) }
    for client in slow { client.send(start) }
    let good = TestClient(port: server.port)
    good.send(Self.get)
    #expect(good.response()?.status == 200)
    #expect(server.comes { $0.openConnections >= 10 })
    let late = TestClient(port: server.port, from: 3)
    late.send(Self.get)
    #expect(late.response()?.status == 200)
    // One of the many had to go.
    good.send(Self.get)
    #expect(good.response()?.status == 200)
    withExtendedLifetime(slow) {}
  }

  @Test func `twice as many connections are closed at once`() {
    let server = try! TestServer(HTTPServerConfiguration(connectionsPerAddress: 1))
    let open = (0..<2).map { _ in TestClient(port: server.port) }
    for client in open {
      client.send(Self.get)
      #expect(client.head() != nil)
    }
    // The second was refused, which closed it; those that only wait stay, and there are two of them then.
    let waiting = TestClient(port: server.port)
    let excess = TestClient(port: server.port)
    #expect(excess.isAtEnd)
    withExtendedLifetime(waiting) {}
  }

  @Test func `a client that does not read its answer loses the connection`() async throws {
    let server = try TestServer(HTTPServerConfiguration(sendSeconds: 1))
    let client = TestClient(port: server.port)
    client.send(post("/later", 1) + "x")
    var events = server.events.makeAsyncIterator()
    #expect(await events.next() == "received x")
    let length = 64 << 20
    server.onLoop { server, handler in
      handler.answerAll(String(repeating: "a", count: length))
    }
    // Until the server has closed nothing is read, so its buffers stay full.
    #expect(server.comes { $0.openConnections <= 0 })
    #expect(client.response() == nil)
  }

  @Test func `answers that nobody reads take no more memory together than there is for them`() async throws {
    let length = 16 << 20
    let server = try TestServer(HTTPServerConfiguration(bufferLimit: 2 * length))
    var events = server.events.makeAsyncIterator()
    let clients = (0..<4).map { _ in TestClient(port: server.port) }
    for client in clients {
      client.send(post("/later", 1) + "x")
      #expect(await events.next() == "received x")
    }
    let most = Lock(0)
    server.onLoop { server, handler in
      handler.answerAll(String(repeating: "a", count: length))
      most.withLock { $0 = server.sendingBytes }
    }
    // The third and fourth are told at once that there is no room, and what is small is sent all the same.
    #expect(clients[2].response()?.status == 503)
    #expect(clients[3].response()?.status == 503)
    #expect(most.withLock { $0 } == 2 * length)
    clients[3].send(Self.get)
    #expect(clients[3].response()?.status == 200)
    // One of those who do not read has to go after a second, and then there is room for one.
    #expect(server.comes { $0.openConnections <= 3 })
    #expect(server.comes { $0.sendingBytes == length })
    clients[3].send(post("/later", 1) + "x")
    #expect(await events.next() == "received x")
    server.onLoop { $1.answerAll(String(repeating: "a", count: length)) }
    #expect(clients[3].response()?.body.utf8.count == length)
    #expect(clients.prefix(2).filter { $0.response()?.body.utf8.count == length }.count == 1)
    #expect(server.comes { $0.sendingBytes == 0 })
  }

  @Test func `who reads slowly loses the answer first where most is held by the address`() async throws {
    let length = 16 << 20
    let server = try TestServer(HTTPServerConfiguration(bufferLimit: 4 * length))
    var events = server.events.makeAsyncIterator()
    // The one comes first, so it has read longest.
    let one = TestClient(port: server.port, from: 2)
    let many = (0..<3).map { _ in TestClient(port: server.port, from: 3) }
    for client in [one] + many {
      client.send(post("/later", 1) + "x")
      #expect(await events.next() == "received x")
    }
    server.onLoop { $1.answerAll(String(repeating: "a", count: length)) }
    let late = TestClient(port: server.port)
    late.send(post("/later", 1) + "x")
    #expect(await events.next() == "received x")
    server.onLoop { $1.answerAll(String(repeating: "a", count: length)) }
    #expect(late.response()?.status == 503)
    #expect(server.comes { $0.sendingBytes == 3 * length })
    #expect(one.response()?.body.utf8.count == length)
    #expect(many.filter { $0.response()?.body.utf8.count == length }.count == 2)
  }

  @Test func `the handler is told when an answer has left, and when it never will`() async throws {
    let server = try TestServer()
    var events = server.events.makeAsyncIterator()
    let clients = (0..<2).map { _ in TestClient(port: server.port) }
    for (number, client) in clients.enumerated() {
      client.send(post("/later", 1) + "\(number)")
      #expect(await events.next() == "received \(number)")
    }
    let length = 16 << 20
    server.onLoop { server, handler in
      handler.ended = []
      handler.answerAll(String(repeating: "a", count: length))
    }
    #expect(clients[0].response()?.body.utf8.count == length)
    #expect(server.comes { server in (server.handler as! TestHandler).ended == [0] })
    clients[1].close()
    #expect(server.comes { server in (server.handler as! TestHandler).ended == [0, 1] })
    #expect(server.comes { $0.sendingBytes == 0 })
  }

  @Test(arguments: ["Content-Length: 900", "Transfer-Encoding: chunked"])
  func `bodies that are received take no more memory together than there is for them`(_ framing: String) async throws {
    let server = try TestServer(HTTPServerConfiguration(bufferLimit: 1_500))
    let first = TestClient(port: server.port)
    first.send(post("/", 900) + String(repeating: "a", count: 800))
    // The first has been read as far as it has come.
    #expect(server.comes { $0.bufferedBytes >= 800 })
    let second = TestClient(port: server.port)
    let body = String(repeating: "b", count: 900)
    second.send("POST / HTTP/1.1\r\nHost: h\r\n\(framing)\r\n\r\n")
    second.send(framing.hasPrefix("C") ? body : "384\r\n\(body)\r\n0\r\n\r\n")
    #expect(second.response()?.status == 503)
    first.send(String(repeating: "a", count: 100))
    #expect(first.response()?.status == 200)
    let third = TestClient(port: server.port)
    third.send(post("/", 900) + body)
    #expect(third.response()?.status == 200)
  }

  @Test func `what a client that hung up had sent is given back`() async throws {
    let server = try TestServer(HTTPServerConfiguration(bufferLimit: 1_000))
    let client = TestClient(port: server.port)
    client.send(post("/", 900) + String(repeating: "a", count: 800))
    #expect(server.comes { $0.bufferedBytes >= 800 })
    client.close()
    #expect(server.comes { $0.bufferedBytes == 0 })
  }

  @Test(arguments: ["", "POST / HT", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 900\r\n\r\n", get])
  func `of clients that come and go quickly none is kept`(_ sent: String) async throws {
    let server = try TestServer()
    for _ in 0..<3000 {
      let client = TestClient(port: server.port)
      client.send(sent)
      client.close()
    }
    #expect(server.comes { $0.openConnections <= 0 })
  }
}
