// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

import JSONRPC

@Suite struct EnvelopeTests {
  @Test(arguments: [
    (#"{"id":1,"method":"m"}"#, "1", "jsonrpc: is missing"),
    (#"{"jsonrpc":"1.0","id":1,"method":"m"}"#, "1", #"jsonrpc: must be "2.0""#),
    (#"{"jsonrpc":2.0,"id":1,"method":"m"}"#, "1", #"jsonrpc: must be "2.0""#),
    (#"{"jsonrpc":"2.0","id":1}"#, "1", "method: is missing"),
    (#"{"jsonrpc":"2.0","id":1,"method":7}"#, "1", "method: must be text"),
    (
      #"{"jsonrpc":"2.0","id":1,"method":"m","params":null}"#, "1",
      "params: must be an object; leave it out when there are none"
    ),
    (
      #"{"jsonrpc":"2.0","id":1,"method":"m","params":"x"}"#, "1",
      "params: must be an object; leave it out when there are none"
    ),
    (
      #"{"jsonrpc":"2.0","id":"é","method":"m","traceparent":"x"}"#, #""é""#,
      "traceparent: no member of a request; it has jsonrpc, id, method and params"
    ),
    (#"{"jsonrpc":"2.0","id":1,"method":"m","method":"n"}"#, "1", "method: appears twice"),
    (#"{"jsonrpc":"2.0","id":1,"method":"m","\u006dethod":"n"}"#, "1", "method: appears twice"),
    (#"{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"m"}"#, "1", "jsonrpc: appears twice"),
    (#"{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}"#, "null", "id: appears twice"),
    (#"{"jsonrpc":"2.0","id":1,"method":"m","params":{},"params":{}}"#, "1", "params: appears twice"),
    (#"7"#, "null", "a message must be a request object or an array of them"),
    (#""x""#, "null", "a message must be a request object or an array of them"),
  ])
  func anInvalidRequestIsAnsweredWithItsIDAndWhatIsWrong(text: String, id: String, message: String) {
    let answer = Array(ExampleServer().answer(text).utf8)
    answer.withUnsafeBytes { bytes in
      guard case .error(let found?, let error) = Response.parse(bytes) else {
        Issue.record("no error: \(answer.text)")
        return
      }
      #expect(found.bytes.text == id)
      #expect(error.code == .invalidRequest)
      #expect(error.message == message)
      #expect(error.processed == .no)
    }
  }

  @Test(arguments: [
    #"{"jsonrpc":"2\u002e0","method":"m","id":1}"#, #"{"\u006asonrpc":"2.0","\u0069d":1,"method":"\u006d"}"#,
    " \n{ \"id\" : 1 , \"method\" :\t\"m\" , \"jsonrpc\" : \"2.0\" }\r\n",
  ])
  func spellingAndOrderDoNotMatter(text: String) throws {
    try withRequest(text) { (parser, request) throws in
      #expect(request.problem == nil)
      #expect(parser.methodName(request) == "m")
      #expect(parser.id(request)?.bytes.text == "1")
    }
  }

  @Test func namesOfTheProtocolItselfAreAllowed() throws {
    try withRequest(#"{"jsonrpc":"2.0","method":"rpc.health","id":1}"#) { (parser, request) throws in
      #expect(request.problem == nil)
      #expect(parser.methodName(request) == "rpc.health")
    }
  }

  @Test func aBatchHasAtMostAHundredRequests() throws {
    func batch(_ count: Int) -> String {
      "[" + Array(repeating: #"{"jsonrpc":"2.0","method":"m"}"#, count: count).joined(separator: ",") + "]"
    }
    try withMessage(batch(100)) { _, message in
      guard case .batch(let requests) = message else { return #expect(Bool(false)) }
      #expect(requests.count == 100)
      #expect(requests.allSatisfy { $0.isNotification && $0.problem == nil })
    }
    try withMessage(batch(101)) { _, message in
      guard case .refused(let error) = message else { return #expect(Bool(false)) }
      #expect(error.code == .invalidRequest)
    }
  }

  @Test(arguments: ["[[]]", "[{}]", "[null]", #"[{"jsonrpc":"2.0","method":"m"},7]"#])
  func aFaultyMemberOfABatchDoesNotHurtTheOthers(text: String) throws {
    try withMessage(text) { _, message in
      guard case .batch(let requests) = message else { return #expect(Bool(false)) }
      #expect(requests.last?.problem?.code == .invalidRequest)
      #expect(requests.last?.isNotification == false)
      #expect(requests.dropLast().allSatisfy { $0.problem == nil })
    }
  }

  @Test func nestingIsLimited() throws {
    func message(_ depth: Int) -> String {
      request(params: #"{"a":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}")
    }
    try withMessage(message(62)) { _, message in
      guard case .single(let request) = message else { return #expect(Bool(false)) }
      #expect(request.problem == nil)
    }
    try withMessage(message(63)) { _, message in
      guard case .refused(let error) = message else { return #expect(Bool(false)) }
      #expect(error.code == .invalidRequest)
      #expect(error.message.hasPrefix("nested deeper than 64"))
    }
  }

  @Test func aParserIsReusedFromMessageToMessage() {
    let parser = MessageParser()
    for count in [1, 400, 3, 90] {
      var text = request(params: "{" + (0..<count).map { "\"k\($0)\":[\($0)]" }.joined(separator: ",") + "}")
      text.withUTF8 { bytes in
        guard case .single(let request) = parser.parse(UnsafeRawBufferPointer(bytes)) else {
          return #expect(Bool(false))
        }
        #expect((try? parser.params([String: [Int]].self, of: request))?.count == count)
      }
    }
  }
}
