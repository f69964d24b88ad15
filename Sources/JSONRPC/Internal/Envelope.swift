// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// The members of a request object (JSON-RPC 2.0, section 4): where they are, each at most once and of a legal type.
struct Envelope {
  var id = ParsedRequest.none
  var method = ParsedRequest.none
  var params = ParsedRequest.none
  var metaName = ParsedRequest.none

  /// Reads the request object at `object`. Goes on after the first problem, since the answer needs the id.
  /// - Returns: what makes it no valid request, or nil.
  mutating func read(_ object: Int, _ tape: TapeReader) -> RPCError? {
    guard tape[object].kind == .object else { return .invalidRequest("a request must be an object") }
    var problem: RPCError?
    var hasVersion = false
    var hasID = false
    func report(_ message: @autoclosure () -> String) { if problem == nil { problem = .invalidRequest(message()) } }
    var name = object + 1
    while name < tape.end(of: object) {
      let value = name + 1
      let kind = tape[value].kind
      switch EnvelopeMember(tape, name) {
      case .jsonrpc:
        if hasVersion { report("jsonrpc: appears twice") }
        hasVersion = true
        if !tape.isText(value, "2.0") { report("jsonrpc: must be \"2.0\"") }
      case .id:
        if hasID { report("id: appears twice") }
        switch kind {
        case .string, .escapedString, .integer, .number, .null: id = hasID ? Self.none : Int32(value)
        default: report("id: must be text, a number or null")
        }
        hasID = true
      case .method:
        if method != Self.none { report("method: appears twice") }
        guard kind == .string || kind == .escapedString else {
          report("method: must be text")
          break
        }
        method = Int32(value)
      case .params:
        if params != Self.none { report("params: appears twice") }
        guard kind == .object || kind == .array else {
          report("params: must be an object; leave it out when there are none")
          break
        }
        params = Int32(value)
      case nil: report("\(tape.memberName(name)): no member of a request; it has jsonrpc, id, method and params")
      }
      name = tape.end(of: value)
    }
    if !hasVersion { report("jsonrpc: is missing") }
    if method == Self.none { report("method: is missing") }
    return problem
  }

  /// Finds `_meta` among the params and hides it from decoders.
  mutating func hideMeta(_ tape: TapeReader) {
    guard params != Self.none, tape[Int(params)].kind == .object else { return }
    var name = Int(params) + 1
    while name < tape.end(of: Int(params)) {
      if tape.isText(name, "_meta") {
        metaName = Int32(name)
        tape.tokens[name].set(.hidden)
      }
      name = tape.end(of: name + 1)
    }
  }

  private static let none = ParsedRequest.none
}

private enum EnvelopeMember {
  case jsonrpc, id, method, params

  init?(_ tape: TapeReader, _ name: Int) {
    if tape.isText(name, "jsonrpc") {
      self = .jsonrpc
    } else if tape.isText(name, "id") {
      self = .id
    } else if tape.isText(name, "method") {
      self = .method
    } else if tape.isText(name, "params") {
      self = .params
    } else {
      return nil
    }
  }
}
