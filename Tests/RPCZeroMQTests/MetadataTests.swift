// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import RPC
import Testing

@testable import RPCZeroMQ

@Suite struct MetadataTests {
  @Test(arguments: [
    ReplyMetadata(), ReplyMetadata(instance: "a1"), ReplyMetadata(serverNow: 0), ReplyMetadata(draining: true),
    ReplyMetadata(instance: "ff", serverNow: 123_456_789, draining: true, retryAfterMs: 100, errorCode: -32_014),
    ReplyMetadata(instance: "ff", errorCode: -32_600), ReplyMetadata(retryAfterMs: 0), ReplyMetadata(refused: true),
    ReplyMetadata(serverNow: 1, draining: true, errorCode: -32_014, refused: true),
  ])
  func `reply metadata is JSON, and reads back both ways`(_ metadata: ReplyMetadata) throws {
    var bytes: [UInt8] = []
    metadata.append(to: &bytes)
    let decoded = try JSON.decode(ReplyMetadata.self, from: bytes)
    let ordered = bytes.withUnsafeBytes { ReplyMetadata(ordered: $0, knownInstance: "ff") }
    for read in [decoded, try #require(ordered)] { #expect(same(read, metadata)) }
  }

  @Test(arguments: [
    "", "{", "{}x", #"{"instance":"a\"b"}"#, #"{"serverNow":1.5}"#, #"{"serverNow":12345678901234567890}"#,
    #"{"serverNow":1,"instance":"a"}"#, #"{ "instance":"a"}"#, #"{"draining":false}"#, #"{"serverNow":}"#,
  ])
  func `anything else is left to the JSON decoder`(_ metadata: String) {
    #expect(text(metadata).withUnsafeBytes { ReplyMetadata(ordered: $0, knownInstance: nil) } == nil)
  }

  @Test(arguments: [Int64(0), 1, 9, 10, 99, 1_000_000, -1, -32_700, .max, .min])
  func `numbers are written in decimal`(_ value: Int64) {
    var bytes: [UInt8] = []
    bytes.appendDecimal(value)
    #expect(String(decoding: bytes, as: UTF8.self) == "\(value)")
  }

  private func same(_ a: ReplyMetadata, _ b: ReplyMetadata) -> Bool {
    a.instance == b.instance && a.serverNow == b.serverNow && a.draining == b.draining
      && a.retryAfterMs == b.retryAfterMs && a.errorCode == b.errorCode
      && a.refused == b.refused
  }
}
