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

  @Test func `what was written last is written again, and anything else anew`() throws {
    var texts = ReplyMetadataTexts()
    let plain = ReplyMetadata(instance: "a1", serverNow: 7)
    let others = [
      ReplyMetadata(instance: "a1", serverNow: 8), ReplyMetadata(instance: "b", serverNow: 7),
      ReplyMetadata(instance: "a1", serverNow: 7, draining: true),
      ReplyMetadata(instance: "a1", serverNow: 7, retryAfterMs: 5),
      ReplyMetadata(instance: "a1", serverNow: 7, errorCode: -32_014),
      ReplyMetadata(instance: "a1", serverNow: 7, refused: true), ReplyMetadata(),
    ]
    for other in others {
      for metadata in [plain, plain, other, plain] {
        #expect(try same(JSON.decode(ReplyMetadata.self, from: texts.text(of: metadata)), metadata))
      }
    }
  }

  @Test func `a server's clock reads each frame for what it says`() {
    var clock = ServerClock()
    let now = MonotonicClock.milliseconds()
    func read(_ frame: String) -> ReplyMetadata { text(frame).withUnsafeBytes { clock.read($0) } }
    let frame = #"{"instance":"a","serverNow":\#(now + 1_000)}"#
    for _ in 0..<2 { #expect(same(read(frame), ReplyMetadata(instance: "a", serverNow: now + 1_000))) }
    #expect(read(#"{"instance":"a","serverNow":\#(now + 2_000)}"#).serverNow == now + 2_000)
    #expect(read(frame).serverNow == now + 1_000)
    #expect(read(#"{"draining":true}"#).draining == true)
    // Another instance, another clock; and back.
    #expect(read(#"{"instance":"b","serverNow":5}"#).instance == "b")
    #expect(clock.time(of: now).map { $0 <= 5 } == true)
    #expect(read(frame).instance == "a")
    #expect(clock.time(of: now).map { $0 > now } == true)
    // Longer than what is remembered.
    let long = #"{"instance":"\#(String(repeating: "x", count: 300))","serverNow":1}"#
    for _ in 0..<2 { #expect(read(long).instance?.count == 300) }
    #expect(same(read("no JSON"), ReplyMetadata()))
    #expect(same(read(#"{"refused":true}"#), ReplyMetadata(refused: true)))
  }

  private func same(_ a: ReplyMetadata, _ b: ReplyMetadata) -> Bool {
    a.instance == b.instance && a.serverNow == b.serverNow && a.draining == b.draining
      && a.retryAfterMs == b.retryAfterMs && a.errorCode == b.errorCode
      && a.refused == b.refused
  }
}
