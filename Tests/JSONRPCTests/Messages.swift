// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC

/// Keeps a message's bytes in place while it is looked at.
func withMessage(_ text: String, _ body: (MessageParser, ParsedMessage) throws -> Void) throws {
  let parser = MessageParser()
  var text = text
  try text.withUTF8 { try body(parser, parser.parse(UnsafeRawBufferPointer($0))) }
}

/// Looks at a message that is one request.
func withRequest(_ text: String, _ body: (MessageParser, ParsedRequest) throws -> Void) throws {
  try withMessage(text) { (parser, message) throws in
    switch message {
    case .single(let request): try body(parser, request)
    case .refused(let error): throw error
    case .batch: throw RPCError.internalError("a batch")
    }
  }
}

/// A request with these params.
func request(params: String) -> String { #"{"jsonrpc":"2.0","id":1,"method":"m","params":\#(params)}"# }

/// A server of the methods that the specification's examples use, as small as can be.
struct ExampleServer {
  func answer(_ text: String) -> String {
    let parser = MessageParser()
    var text = text
    let bytes = text.withUTF8 { (bytes) -> [UInt8] in
      switch parser.parse(UnsafeRawBufferPointer(bytes)) {
      case .refused(let error): return Response.error(nil, error)
      case .single(let request): return answer(parser, request) ?? []
      case .batch(let requests): return Response.batch(requests.compactMap { answer(parser, $0) })
      }
    }
    return bytes.text
  }

  private func answer(_ parser: MessageParser, _ request: ParsedRequest) -> [UInt8]? {
    let id = parser.id(request)
    do throws(RPCError) {
      if let problem = request.problem { throw problem }
      let result = try call(parser.methodName(request), parser, request)
      guard !request.isNotification, let id else { return nil }
      return Response.result(id, result)
    } catch {
      return request.isNotification ? nil : Response.error(id, error)
    }
  }

  private struct Subtraction: Decodable { var minuend, subtrahend: Int }
  private struct Empty: Decodable {}

  private func call(_ method: String, _ parser: MessageParser, _ request: ParsedRequest) throws(RPCError) -> [UInt8] {
    switch method {
    case "subtract":
      let params = try parser.params(Subtraction.self, of: request)
      return Array(String(params.minuend - params.subtrahend).utf8)
    case "get_data":
      _ = try parser.params(Empty.self, of: request)
      return Array(#"["hello",5]"#.utf8)
    case "update", "notify_hello": return Array("null".utf8)
    default: throw RPCError(.methodNotFound, "\(method): no such method", reason: "methodNotFound")
    }
  }
}

extension [UInt8] {
  var text: String { String(decoding: self, as: UTF8.self) }
}
