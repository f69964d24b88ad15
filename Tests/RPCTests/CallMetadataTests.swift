// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import Testing
import Tracing

@testable import RPC

@Suite struct CallMetadataTests {
  private func read(_ text: String) throws -> CallMetadata {
    try Array(text.utf8).withUnsafeBytes { try CallMetadata(json: $0, CallerCache()) }
  }

  static let full = CallMetadata(
    timeoutMs: 250, expiresAt: 1 << 40, trace: TraceContext("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
    authorization: "Bearer x",
    principal: Principal(
      kind: .user, app: "shop", accountId: "maya", deviceId: "d1", sessionId: "s1", generation: 2,
      authTime: Timestamp(milliseconds: 1_767_323_045_678), name: "n", scopes: ["check", "decide"], role: "admin"),
    idempotencyKey: "k\"1", attempt: 2, requestId: "r1", locale: "de-AT", gpc: true)

  @Test(arguments: [
    "{}", #"{"timeoutMs":1}"#, #"{"principal":{"kind":"key","app":"a"},"later":{"x":[1]},"gpc":false}"#,
    #"{"principal":null,"locale":null,"attempt":null}"#,
  ])
  func whatIsReadIsWhatCodableReads(text: String) throws {
    #expect(try JSON.encode(read(text)) == JSON.encode(JSON.decode(CallMetadata.self, from: text)))
  }

  @Test func everyMemberIsRead() throws {
    let text = try JSON.encodeString(Self.full)
    #expect(try JSON.encodeString(read(text)) == text)
  }

  static let traces: [(text: String, isRead: Bool)] = [
    (#""00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01""#, true),
    (#""\u00300-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01""#, true),
    (#""cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-later""#, true),
    (#""00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0x""#, false), (#""""#, false), ("null", false),
  ]
  @Test(arguments: traces)
  func whatIsNoTraceparentIsAsGoodAsNone(_ text: String, _ isRead: Bool) throws {
    let trace = try read(#"{"traceparent":\#(text)}"#).trace
    #expect((trace != nil) == isRead)
    if isRead { #expect(trace?.spanID == "b7ad6b7169203331") }
  }

  @Test(arguments: [
    (#"{"traceparent":1}"#, "traceparent: must be text, not a number"),
    (#"[]"#, "must be an object, not an array"), (#"{"timeoutMs":"1"}"#, "timeoutMs: must be an integer, not text"),
    (#"{"principal":{"kind":"x","app":"a"}}"#, "principal.kind: must be one of anonymous, device, user, key, service"),
    (#"{"principal":{"kind":"key"}}"#, "principal: must have kind and app"),
    (#"{"principal":{"kind":"key","app":"a","scopes":[1]}}"#, "principal.scopes[0]: must be text, not a number"),
    (#"{"timeoutMs":5,"timeoutMs":6}"#, "timeoutMs: is there twice"),
    (#"{"principal":{"kind":"key","app":"a"},"principal":{"kind":"key","app":"b"}}"#, "principal: is there twice"),
    (#"{"gpc":1"#, "the text ends too early"),
  ])
  func aFaultIsNamed(text: String, message: String) {
    let error = #expect(throws: JSONDecodingError.self) { try read(text) }
    #expect(error?.description == message)
  }

  /// What follows a principal that was read before, in a gateway's order.
  static let ordered: [(text: String, isOrdered: Bool)] = [
    (#"{"timeoutMs":250,"expiresAt":17,"attempt":2,"principal":P,"requestId":"r-1","traceparent":"T"}"#, true),
    (#"{"timeoutMs":1,"principal":P,"idempotencyKey":"k 1","locale":"de-AT","gpc":true}"#, true),
    (#"{"timeoutMs":1,"principal":P}"#, true), (#"{"timeoutMs":1,"expiresAt":-5,"principal":P}"#, true),
    // Another order, other text, other members: no fault, and read all the same.
    (#"{"principal":P,"timeoutMs":1}"#, false), (#"{"timeoutMs":1,"principal":P,"gpc":false}"#, false),
    (#"{"timeoutMs":1, "principal":P}"#, false), (#"{"timeoutMs":1,"principal":P,"requestId":"a\"b"}"#, false),
    (#"{"timeoutMs":1,"principal":P,"requestId":"\u00e9"}"#, false),
    (#"{"timeoutMs":1,"principal":P,"requestId":null}"#, false), (#"{"timeoutMs":1,"principal":P,"later":{}}"#, false),
    (#"{"timeoutMs":1,"principal":P,"traceparent":"none"}"#, false), (#"{"timeoutMs":null,"principal":P}"#, false),
    (#"{"timeoutMs":1,"principal":P,"locale":"de","requestId":"r"}"#, false),
    (#"{"timeoutMs":1,"locale":"de"}"#, false),
    (#"{"timeoutMs":1,"principal":{"kind":"key","app":"other"}}"#, false),
  ]
  @Test(arguments: ordered, [#"{"kind":"key","app":"a","scopes":["check","decide"]}"#, #"{"kind":"user","app":"}"}"#])
  func `a gateway's order gives what JSON gives`(_ one: (text: String, isOrdered: Bool), _ principal: String) throws {
    let text = one.text.replacing("P", with: principal)
      .replacing("T\"", with: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\"")
    let callers = CallerCache()
    _ = try Array(#"{"principal":\#(principal)}"#.utf8).withUnsafeBytes { try CallMetadata(json: $0, callers) }
    try Array(text.utf8).withUnsafeBytes { bytes in
      // A brace in a principal's text hides where it ends.
      #expect((CallMetadata(ordered: bytes, callers) != nil) == (one.isOrdered && !principal.contains(#""}""#)))
      let decoded = try JSON.encode(JSON.decode(CallMetadata.self, from: text.replacing(#""none""#, with: "null")))
      #expect(try JSON.encode(CallMetadata(json: bytes, callers)) == decoded)
    }
  }

  @Test(arguments: [
    #"{"timeoutMs":01,"principal":P}"#, #"{"timeoutMs":1,"principal":P"#, #"{"timeoutMs":1,"principal":P}}"#,
    #"{"timeoutMs":1,"principal":P,}"#, #"{"timeoutMs":1,"principal":P,"requestId":"r"#,
    #"{"timeoutMs":1.5,"principal":P}"#, #"{"timeoutMs":1,"principal":P,"requestId":"\#u{1}"}"#,
    #"{"timeoutMs":1,"principal":P,"timeoutMs":2}"#, #"{"timeoutMs":1,"timeoutMs":2,"principal":P}"#,
    #"{"timeoutMs":12345678901234567890,"principal":P}"#, #"{"timeoutMs":-,"principal":P}"#,
  ])
  func `a gateway's order hides no fault`(_ text: String) throws {
    let principal = #"{"kind":"key","app":"a"}"#
    let callers = CallerCache()
    _ = try Array(#"{"principal":\#(principal)}"#.utf8).withUnsafeBytes { try CallMetadata(json: $0, callers) }
    #expect(throws: JSONDecodingError.self) {
      try Array(text.replacing("P", with: principal).utf8).withUnsafeBytes {
        try CallMetadata(json: $0, callers)
      }
    }
  }
}
