// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ZeroMQ

@Suite struct CurveTests {
  @Test func `Z85 writes the vector of its specification`() {
    let bytes: [UInt8] = [0x86, 0x4F, 0xD2, 0x6F, 0xB5, 0x59, 0xF7, 0x5B]
    #expect(Z85.encode(bytes) == "HelloWorld")
    #expect(Z85.decode("HelloWorld") == bytes)
  }

  @Test(arguments: ["Hello", "%nSc0", "00000", ""])
  func `Z85 reads back what it wrote`(_ text: String) throws {
    #expect(Z85.encode(try #require(Z85.decode(text))) == text)
  }

  // The last two are above 2^32 - 1 and hold a character that is none of Z85's.
  @Test(arguments: ["a", "abcdef", "#####", "ab cd", "ab\"cd", "ab~cd"])
  func `what is no Z85 is refused`(_ text: String) { #expect(Z85.decode(text) == nil) }

  @Test func `a pair follows from its secret half, which its description does not show`() throws {
    let pair = try CurveKeyPair.generate()
    let secret = try #require(CurveSecretKey(z85: pair.secretKey.z85))
    #expect(try CurveKeyPair(secretKey: secret).publicKey == pair.publicKey)
    var dumped = ""
    dump(pair, to: &dumped)
    for text in ["\(pair)", dumped, String(reflecting: pair)] { #expect(!text.contains(pair.secretKey.z85)) }
    #expect(try CurveKeyPair.generate().publicKey != pair.publicKey)
  }

  @Test(arguments: ["", "short", String(repeating: "0", count: 39), String(repeating: "\"", count: 40)])
  func `a key has forty characters of Z85`(_ text: String) {
    #expect(CurvePublicKey(z85: text) == nil && CurveSecretKey(z85: text) == nil)
  }

  @Test func `a context has one judge, and there is none once it is closed`() throws {
    let context = try Context()
    let zap = try ZapSocket(in: context)
    #expect(throws: ZeroMQError.addressInUse) { try ZapSocket(in: context) }
    let router = try Socket(.router, in: context)
    #expect(zap.judges(router))
    #expect(!zap.judges(try Socket(.router, in: try Context())))
    zap.close()
    #expect(!zap.judges(router))
  }

  @Test func `the judge names each connection, and each of its messages carries the name`() throws {
    let context = try Context()
    let zap = try ZapSocket(in: context)
    let server = try CurveKeyPair.generate()
    let client = try CurveKeyPair.generate()
    let router = try Socket(.router, in: context)
    try router.serveCurve(server, domain: "test", judgedBy: zap)
    let endpoint = try router.bind(ListeningPort("tcp://127.0.0.1:*"))
    let dealer = try Socket(.dealer, in: context)
    try dealer.useCurve(server: server.publicKey, as: client)
    try dealer.connect(endpoint)
    var asked: [ZapRequest] = []
    while asked.isEmpty {
      try zap.socket.wait()
      _ = try zap.answerNext { request in
        asked.append(request)
        return .accepted(userID: "someone")
      }
    }
    #expect(asked[0].publicKey == client.publicKey)
    #expect(asked[0].domain == "test")
    #expect(asked[0].address == "127.0.0.1")
    let message = MultipartMessage(frameLimit: 8, byteLimit: 1_000)
    for number in 0..<20 {
      try dealer.sendWhenPossible([text("\(number)"), text("body")])
      // A poll before each: libzmq loses the name on the first frame after one.
      repeat { try router.wait() } while try !message.receive(from: router)
      #expect(message.withUserID { $0.map { String(cString: $0) } } == "someone")
      #expect(message.senderKey == client.publicKey)
    }
  }

  @Test(arguments: [
    ["", "2.0", "1", "d", "127.0.0.1", "", "CURVE", "key"], ["", "1.0", "1", "d", "127.0.0.1", "", "CURVE", "short"],
    ["", "1.0", "1", "d", "127.0.0.1", "", "PLAIN", "user", "password"], ["", "1.0", "1", "d", "a", "", "NULL"],
    ["", "1.0", "1"], ["", "1.0", "1", "d", "a", "", "CURVE", "a", "b", "c", "d", "e", "f", "g"],
  ])
  func `a request that is no good is refused, and the judge goes on`(_ request: [String]) throws {
    let context = try Context()
    let zap = try ZapSocket(in: context)
    let asking = try Socket(.dealer, in: context)
    try asking.connect("inproc://zeromq.zap.01")
    try asking.sendWhenPossible(request.map(text))
    try zap.socket.wait()
    _ = try zap.answerNext { $0.publicKey == nil ? .refused : .accepted(userID: "wrong") }
    let answer = try asking.receiveWhenPossible()
    #expect(answer[0...3] == [[], text("1.0"), text("1"), text("400")])
    try asking.sendWhenPossible([text("no delimiter")])
    try zap.socket.wait()
    #expect(try zap.answerNext { _ in .refused })
  }

  @Test(arguments: ["tcp://127.0.0.1:*", "tcp://127.0.0.1:0", "tcp://*:*", "tcp://[::1]:*"])
  func `a port is shared once it is asked to be`(_ endpoint: String) throws {
    let context = try Context()
    let port = try ListeningPort(endpoint)
    let first = try Socket(.router, in: context)
    let bound = try first.bind(port)
    #expect(throws: ZeroMQError.addressInUse) { try ListeningPort(bound) }
    let second = try Socket(.router, in: context)
    #expect(try second.bind(port.beside()) == bound)
  }

  @Test(arguments: [
    "ipc:///x", "tcp://host:1", "tcp://127.0.0.1", "tcp://127.0.0.1:x", "tcp://:1", "tcp://[::1:1", "tcp://",
  ])
  func `a port has a numeric address`(_ endpoint: String) {
    #expect(throws: ZeroMQError.self) { try ListeningPort(endpoint) }
  }
}
