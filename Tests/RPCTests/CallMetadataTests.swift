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
}
