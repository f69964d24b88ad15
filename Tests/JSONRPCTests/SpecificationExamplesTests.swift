// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

import JSONRPC

/// JSON-RPC 2.0, section 7, example by example. Where the specification passes params by position, this project refuses
/// them (params are by name only), so these examples end in -32602.
@Suite struct SpecificationExamplesTests {
  struct Example: Sendable, CustomTestStringConvertible {
    let name: String
    let request: String
    /// What must be in the answer, in order: ids with a result or an error code. Nil: no answer at all.
    let answers: [Answer]?
    var isBatch = false
    var testDescription: String { name }
  }
  struct Answer: Equatable, Sendable {
    var id: String
    var result: String?
    var code: Int?
    static func result(_ id: String, _ result: String) -> Answer { Answer(id: id, result: result) }
    static func error(_ id: String, _ code: Int) -> Answer { Answer(id: id, code: code) }
  }

  static let examples = [
    Example(
      name: "positional parameters, first",
      request: #"{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}"#,
      answers: [.error("1", -32602)]),
    Example(
      name: "positional parameters, second",
      request: #"{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}"#,
      answers: [.error("2", -32602)]),
    Example(
      name: "named parameters, first",
      request: #"{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}"#,
      answers: [.result("3", "19")]),
    Example(
      name: "named parameters, second",
      request: #"{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}"#,
      answers: [.result("4", "19")]),
    Example(
      name: "a notification with params", request: #"{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}"#,
      answers: nil),
    Example(name: "a notification", request: #"{"jsonrpc": "2.0", "method": "foobar"}"#, answers: nil),
    Example(
      name: "non-existent method", request: #"{"jsonrpc": "2.0", "method": "foobar", "id": "1"}"#,
      answers: [.error(#""1""#, -32601)]),
    Example(
      name: "invalid JSON", request: #"{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]"#,
      answers: [.error("null", -32700)]),
    Example(
      name: "invalid request object", request: #"{"jsonrpc": "2.0", "method": 1, "params": "bar"}"#,
      answers: [.error("null", -32600)]),
    Example(
      name: "batch, invalid JSON",
      request: #"[ {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"}, {"jsonrpc": "2.0", "method" ]"#,
      answers: [.error("null", -32700)]),
    Example(name: "empty array", request: "[]", answers: [.error("null", -32600)]),
    Example(name: "invalid batch, not empty", request: "[1]", answers: [.error("null", -32600)], isBatch: true),
    Example(
      name: "invalid batch", request: "[1,2,3]",
      answers: [.error("null", -32600), .error("null", -32600), .error("null", -32600)], isBatch: true),
    Example(
      name: "batch",
      request: """
        [ {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
          {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
          {"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": "2"},
          {"foo": "boo"},
          {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
          {"jsonrpc": "2.0", "method": "get_data", "id": "9"} ]
        """,
      answers: [
        .error(#""1""#, -32601), .result(#""2""#, "19"), .error("null", -32600), .error(#""5""#, -32601),
        .result(#""9""#, #"["hello",5]"#),
      ], isBatch: true),
    Example(
      name: "batch, all notifications",
      request: """
        [ {"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},
          {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]} ]
        """, answers: nil),
  ]

  @Test(arguments: examples) func theAnswerIsTheSpecifications(example: Example) throws {
    let text = ExampleServer().answer(example.request)
    guard let expected = example.answers else {
      #expect(text.isEmpty)
      return
    }
    #expect(text.hasPrefix("[") == example.isBatch)
    let members = try example.isBatch ? JSON.decode([RawJSON].self, from: text).map(\.bytes) : [Array(text.utf8)]
    #expect(members.map(answer) == expected)
  }

  private func answer(_ bytes: [UInt8]) -> Answer {
    bytes.withUnsafeBytes { bytes in
      switch Response.parse(bytes) {
      case .result(let id, let result): .result(id.bytes.text, String(decoding: result, as: UTF8.self))
      case .error(let id, let error): .error(id?.bytes.text ?? "none", error.code.rawValue)
      }
    }
  }
}
