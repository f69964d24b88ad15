// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Testing

@Suite(.timeLimit(.minutes(5))) struct HTTPServerTests {
  let server: TestServer

  init() throws { server = try TestServer() }

  func client() -> TestClient { TestClient(port: server.port) }

  static let posted = "Host: h\r\nContent-Length: 2\r\n\r\nhi"

  struct Case: CustomTestStringConvertible {
    let name: String
    let sent: String
    let status: Int
    var body: String?
    var testDescription: String { name }
  }

  @Test(arguments: [
    Case(name: "GET", sent: "GET /a HTTP/1.1\r\nHost: h\r\n\r\n", status: 200, body: "get /a - - 0 "),
    Case(name: "POST", sent: "POST /a HTTP/1.1\r\n\(posted)", status: 200, body: "post /a - - 2 hi"),
    Case(name: "PUT", sent: "PUT /a HTTP/1.1\r\n\(posted)", status: 200, body: "put /a - - 2 hi"),
    Case(name: "DELETE", sent: "DELETE /a HTTP/1.1\r\nHost: h\r\n\r\n", status: 200, body: "delete /a - - 0 "),
    Case(name: "OPTIONS", sent: "OPTIONS /a HTTP/1.1\r\nHost: h\r\n\r\n", status: 200, body: "options /a - - 0 "),
    Case(name: "unknown method", sent: "BREW /a HTTP/1.1\r\nHost: h\r\n\r\n", status: 200, body: "other /a - - 0 "),
    Case(
      name: "query and header, in any case", sent: "GET /a%20b?q=x%26y HTTP/1.1\r\nhost: h\r\nx-TEST: T\r\n\r\n",
      status: 200, body: "get /a b x&y T 0 "),
    Case(
      name: "an encoded NUL does not shorten the path", sent: "GET /a%00b HTTP/1.1\r\nHost: h\r\n\r\n", status: 200,
      body: "get /a%00b - - 0 "),
    Case(
      name: "chunked body",
      sent: "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
      status: 200, body: "post /a - - 5 abcde"),
    Case(name: "without Host", sent: "GET /a HTTP/1.1\r\n\r\n", status: 400, body: "Host is missing\n"),
    Case(
      name: "white space before the colon", sent: "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length : 2\r\n\r\nhi",
      status: 400),
    Case(
      name: "two Hosts", sent: "GET /a HTTP/1.1\r\nHost: h\r\nHost: i\r\n\r\n", status: 400,
      body: "Host is given twice\n"),
    Case(
      name: "two lengths", sent: "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nhi",
      status: 400, body: "Content-Length is given twice\n"),
    Case(
      name: "length and chunked",
      sent: "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      status: 400,
      body: "Content-Length and Transfer-Encoding exclude each other\n"),
    Case(
      name: "two codings",
      sent: "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      status: 400, body: "Transfer-Encoding is given twice\n"),
    Case(
      name: "unknown coding", sent: "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
      status: 501),
    Case(
      name: "length that is no number", sent: "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: two\r\n\r\nhi",
      status: 400),
    Case(name: "length with a sign", sent: "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: +2\r\n\r\nhi", status: 400),
  ]) func answers(_ test: Case) throws {
    let client = client()
    client.send(test.sent)
    let response = try #require(client.response())
    #expect(response.status == test.status)
    if let body = test.body { #expect(response.body == body) }
  }

  @Test func headAnswersWithoutABodyAndKeepsTheConnection() throws {
    let client = client()
    client.send("HEAD /a HTTP/1.1\r\nHost: h\r\n\r\n")
    let head = try #require(client.response(bodyless: true))
    #expect(head.status == 200 && head.headers["content-length"] == "14")
    client.send("GET /b HTTP/1.1\r\nHost: h\r\n\r\n")
    #expect(client.response()?.body == "get /b - - 0 ")
  }

  @Test func requestsInOnePacketAreAnsweredInOrder() {
    let client = client()
    client.send((0..<50).map { "POST /\($0) HTTP/1.1\r\n\(Self.posted)" }.joined())
    for index in 0..<50 { #expect(client.response()?.body == "post /\(index) - - 2 hi") }
  }

  @Test func aPipelinedRequestWaitsForTheOneBefore() async throws {
    let client = client()
    client.send("POST /later HTTP/1.1\r\n\(Self.posted)GET /after HTTP/1.1\r\nHost: h\r\n\r\n")
    var events = server.events.makeAsyncIterator()
    #expect(await events.next() == "received hi")
    server.onLoop { $1.answerAll("done") }
    #expect(client.response()?.body == "done")
    #expect(client.response()?.body == "get /after - - 0 ")
  }

  @Test func aRequestMayArriveByteByByte() {
    let client = client()
    for byte in "POST /slow HTTP/1.1\r\n\(Self.posted)".utf8 { client.send([byte]) }
    #expect(client.response()?.body == "post /slow - - 2 hi")
  }

  @Test func http10ClosesAfterTheAnswer() {
    let client = client()
    client.send("GET /old HTTP/1.0\r\n\r\n")
    #expect(client.response()?.status == 200)
    #expect(client.isAtEnd)
  }

  @Test func expectContinueIsAnswered() {
    let client = client()
    client.send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    #expect(client.response(bodyless: true)?.status == 100)
    client.send("hi")
    #expect(client.response()?.body == "post /a - - 2 hi")
  }

  @Test(arguments: [1000, 1001, 65_536, 3 << 20]) func theBodyLimitHoldsAndTheConnectionGoesOn(length: Int) {
    let client = client()
    client.send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: \(length)\r\n\r\n")
    client.send([UInt8](repeating: 97, count: length))
    let response = client.response()
    #expect(response?.status == (length <= 1000 ? 200 : 413))
    if length > 1000 { #expect(response?.body == "the body is longer than 1000 bytes\n") }
    client.send("GET /next HTTP/1.1\r\nHost: h\r\n\r\n")
    #expect(client.response()?.body == "get /next - - 0 ")
  }

  @Test func aChunkedBodyOverTheLimitIsRefusedOnceItEnds() {
    let client = client()
    client.send("POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in 0..<20 { client.send("64\r\n" + String(repeating: "x", count: 100) + "\r\n") }
    client.send("0\r\n\r\n")
    #expect(client.response()?.status == 413)
  }

  @Test func aBodyBeyondWhatIsDroppedIsRefusedUnread() {
    let client = client()
    client.send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999\r\n\r\n")
    #expect(client.response()?.status == 413)
    #expect(client.isAtEnd)
  }

  @Test func aChunkedBodyThatNeverEndsCostsTheConnection() {
    let client = client()
    client.send("POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
    let chunk = Array(("10000\r\n" + String(repeating: "x", count: 65_536) + "\r\n").utf8)
    for _ in 0..<200 { client.send(chunk) }
    #expect(client.response() == nil)
  }

  @Test func theHandlerMayAllowMore() {
    let client = client()
    client.send("PUT /big HTTP/1.1\r\nHost: h\r\nContent-Length: 4000000\r\n\r\n")
    client.send([UInt8](repeating: 97, count: 4_000_000))
    #expect(client.response()?.body.hasPrefix("put /big - - 4000000 aaaa") == true)
  }

  @Test(arguments: [
    "\r\n\r\n\r\n", "\0\0\0\0\0\0\0\0\r\n\r\n", "GET\r\n\r\n", "GET /\0a HTTP/1.1\r\nHost: h\r\n\r\n",
    "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{fc}\u{3}\u{3}\r\n\r\n", "GET / HTTP/9.9\r\nHost: h\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n", "GET / HTTP/1.1\r\nHost : h\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  ]) func garbageHurtsNobodyElse(_ garbage: String) {
    let bad = client()
    bad.send(garbage)
    bad.finishSending()
    while bad.response() != nil {}
    let good = client()
    good.send("GET /fine HTTP/1.1\r\nHost: h\r\n\r\n")
    #expect(good.response()?.body == "get /fine - - 0 ")
  }

  /// Around the limit, and around what libmicrohttpd has room for. A target that leaves it no room for the first header
  /// it closes without an answer, before anybody is asked: some 80 sizes, left out here.
  @Test(arguments: ["target", "header", "headers"]) func headsOfEverySizeAreAnswered(_ kind: String) {
    let unanswered = kind == "target" ? 8_080..<8_192 : 0..<0
    for size in [3_000] + Array(stride(from: 6_500, to: 8_500, by: 8)) + [10_000, 20_000, 100_000] {
      guard !unanswered.contains(size) else { continue }
      let filler = String(repeating: "a", count: size)
      let head =
        switch kind {
        case "target": "GET /echo?q=\(filler) HTTP/1.1\r\nHost: h\r\n\r\n"
        case "header": "GET /echo HTTP/1.1\r\nHost: h\r\nX-Test: \(filler)\r\n\r\n"
        default:
          "GET /echo HTTP/1.1\r\nHost: h\r\n" + (0..<size / 100).map { "X-\($0): \(filler.prefix(92))\r\n" }.joined()
            + "\r\n"
        }
      let client = client()
      client.send(head)
      let status = client.response()?.status
      // Which of the two refusals it is depends on what libmicrohttpd ran out of; many headers take room beside their text.
      let refusals = [414, 431]
      let isTooLong = head.utf8.count > 7_168
      let expected = isTooLong ? refusals : kind == "headers" ? [200] + refusals : [200]
      #expect(status.map(expected.contains) == true, "\(status ?? 0) to \(head.utf8.count) bytes")
    }
  }
}
