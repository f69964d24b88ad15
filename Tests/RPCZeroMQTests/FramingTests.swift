// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import RPC
import RPCZeroMQ
import Testing
import ZeroMQ

/// What clients of all kinds put around a body, and what comes back.
struct Framing: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var sent: [[UInt8]]
  /// Nil: nothing comes back. A frame `{…}` stands for any metadata.
  var replied: [[UInt8]]?

  init(_ name: String, _ sent: [String], _ replied: [String]?) {
    testDescription = name
    self.sent = sent.map(text)
    self.replied = replied.map { $0.map(text) }
  }

  static let all: [Framing] = [
    Framing("DEALER", ["body"], ["re:body"]),
    Framing("REQ", ["", "body"], ["", "re:body"]),
    Framing("REQ with correlation", ["\u{1}\u{2}\u{3}\u{4}", "", "body"], ["\u{1}\u{2}\u{3}\u{4}", "", "re:body"]),
    Framing("behind a proxy", ["id", "", "other", "body"], ["id", "", "other", "re:body"]),
    Framing(
      "Assent's own hop", ["0123456789abcdef", "ASNT1", "{}", "body"], ["0123456789abcdef", "ASNT1", "{…}", "re:body"]),
    Framing("metadata without correlation", ["ASNT1", "{}", "body"], ["ASNT1", "{…}", "re:body"]),
    Framing("REQ with metadata", ["", "ASNT1", "{}", "body"], ["", "ASNT1", "{…}", "re:body"]),
    Framing("the mark as part of the route", ["ASNT1", "no object", "body"], ["ASNT1", "no object", "re:body"]),
    Framing("another mark", ["ASNT2", "{}", "body"], ["ASNT2", "{}", "re:body"]),
    Framing("the mark one frame too early", ["ASNT1", "{}", "", "body"], ["ASNT1", "{}", "", "re:body"]),
    Framing("the mark as the body", ["ASNT1"], ["re:ASNT1"]),
    Framing("an empty body", [""], ["re:"]),
    Framing(
      "a long route frame", [String(repeating: "r", count: 300), "body"],
      [String(repeating: "r", count: 300), "re:body"]),
    Framing(
      "as many frames as are allowed", ["1", "2", "3", "ASNT1", "{}", "-", "body"],
      ["1", "2", "3", "ASNT1", "{}", "-", "re:body"]),
    Framing("unreadable metadata", ["ASNT1", "{oops", "body"], ["ASNT1", "{…}", "metadata"]),
    Framing("metadata of another shape", ["ASNT1", #"{"timeoutMs":"soon"}"#, "body"], ["ASNT1", "{…}", "metadata"]),
    Framing(
      "too much metadata", ["ASNT1", "{" + String(repeating: " ", count: 8_192), "body"],
      ["ASNT1", "{…}", "metadataTooLarge"]),
    Framing("a notification of a DEALER", ["notify"], nil),
    Framing("a notification with metadata", ["ASNT1", "{}", "notify"], nil),
    Framing(
      "a notification over Assent's own hop", ["0123456789abcdef", "ASNT1", "{}", "notify"],
      ["0123456789abcdef", "ASNT1", "{…}", ""]),
    Framing("a notification of a REQ", ["", "notify"], ["", ""]),
    Framing("a notification of a REQ with correlation", ["abcd", "", "notify"], ["abcd", "", ""]),
    Framing("a notification of a REQ with metadata", ["", "ASNT1", "{}", "notify"], ["", "ASNT1", "{…}", ""]),
  ]
}

@Suite struct FramingTests {
  @Test(arguments: Framing.all)
  func `a reply goes back the way its request came`(_ framing: Framing) async throws {
    let folder = PrivateFolder()
    let thread = try SocketThread()
    let server = try await ZeroMQServer.bind(folder.endpoint, TestHandler.echo, on: thread)
    let replies = try await onThread {
      let dealer = try Socket(.dealer, in: Context())
      try dealer.connect(folder.endpoint)
      try dealer.sendWhenPossible(framing.sent)
      try dealer.sendWhenPossible([text("after")])
      var replies: [[[UInt8]]] = []
      while replies.last != [text("re:after")] { replies.append(try dealer.receiveWhenPossible()) }
      return replies.dropLast().map { $0.map(Self.withoutMetadata) }
    }
    #expect(replies == (framing.replied.map { [$0] } ?? []))
    await server.close()
    await thread.stop()
  }

  private static func withoutMetadata(_ frame: [UInt8]) -> [UInt8] {
    frame.starts(with: text("{\"")) ? text("{…}") : frame
  }

  @Test(arguments: [false, true])
  func `a REQ client goes on after a notification`(_ correlates: Bool) async throws {
    let folder = PrivateFolder()
    let thread = try SocketThread()
    _ = try await ZeroMQServer.bind(folder.endpoint, TestHandler.echo, on: thread)
    try await onThread {
      let req = try Socket(.req, in: Context())
      try req.set(.requestCorrelate, correlates)
      try req.connect(folder.endpoint)
      for number in 0..<10 {
        try req.sendWhenPossible([text("notify")])
        #expect(try req.receiveWhenPossible() == [[]])
        try req.sendWhenPossible([text("\(number)")])
        #expect(try req.receiveWhenPossible() == [text("re:\(number)")])
      }
    }
    await thread.stop()
  }

  @Test func `a client may send eight frames, whatever a ROUTER puts in front`() async throws {
    let folder = PrivateFolder()
    let thread = try SocketThread()
    _ = try await ZeroMQServer.bind(folder.endpoint, TestHandler.echo, on: thread)
    let route = (1...7).map { text("\($0)") }
    let reply = try await onThread {
      let dealer = try Socket(.dealer, in: Context())
      try dealer.connect(folder.endpoint)
      try dealer.sendWhenPossible(route + [text("body")])
      return try dealer.receiveWhenPossible()
    }
    #expect(reply == route + [text("re:body")])
    await thread.stop()
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var sent: [[UInt8]]
    var route: [[UInt8]]
    var reason: String
  }

  private static let mebibyte = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)

  @Test(arguments: [
    Refusal(
      testDescription: "nine frames of a DEALER", sent: [[UInt8]](repeating: text("f"), count: 9), route: [],
      reason: "tooManyFrames"),
    Refusal(
      testDescription: "two hundred large frames of a REQ",
      sent: [[]] + [[UInt8]](repeating: [UInt8](repeating: 1, count: 99_999), count: 200), route: [[]],
      reason: "tooManyFrames"),
    Refusal(testDescription: "a large body", sent: [mebibyte], route: [], reason: "messageTooLarge"),
    Refusal(
      testDescription: "a large body of a REQ with correlation", sent: [text("abcd"), [], mebibyte],
      route: [text("abcd"), []], reason: "messageTooLarge"),
    Refusal(
      testDescription: "a large route",
      sent: [[UInt8](repeating: 2, count: 600_000), [], Array(mebibyte.prefix(600_000))],
      route: [[UInt8](repeating: 2, count: 600_000), []], reason: "messageTooLarge"),
  ])
  func `too much is answered with an error`(_ refusal: Refusal) async throws {
    let folder = PrivateFolder()
    let thread = try SocketThread()
    _ = try await ZeroMQServer.bind(folder.endpoint, TestHandler.echo, on: thread)
    let reply = try await onThread {
      let dealer = try Socket(.dealer, in: Context())
      try dealer.connect(folder.endpoint)
      try dealer.sendWhenPossible(refusal.sent)
      return try dealer.receiveWhenPossible()
    }
    #expect(Array(reply.dropLast()) == refusal.route)
    let error = reply.last!.withUnsafeBytes { bytes -> RPCError? in
      if case .error(_, let error) = Response.parse(bytes) { error } else { nil }
    }
    #expect(String(decoding: reply.last!, as: UTF8.self).contains(#""id":null"#))
    #expect(error?.code == .invalidRequest)
    #expect(error?.reason == refusal.reason)
    #expect(error?.processed == .no)
    await thread.stop()
  }
}
