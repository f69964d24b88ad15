// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing
import Tracing

@Suite struct TraceContextTests {
  static let trace = "0af7651916cd43dd8448eb211c80319c"
  static let span = "b7ad6b7169203331"

  static let good: [(text: String, isSampled: Bool)] = [
    ("00-\(trace)-\(span)-01", true), ("00-\(trace)-\(span)-00", false),
    // Flags that are not known yet say nothing.
    ("00-\(trace)-\(span)-ff", true), ("00-\(trace)-\(span)-fe", false),
    // Later versions are read as far as this one goes.
    ("01-\(trace)-\(span)-01", true), ("cc-\(trace)-\(span)-01-what-comes-later", true),
    ("fe-\(trace)-\(span)-00-", false),
  ]
  @Test(arguments: good) func `a traceparent is read and written as version 00`(_ text: String, _ isSampled: Bool) {
    let context = TraceContext(text)
    #expect(context?.traceID == Self.trace && context?.spanID == Self.span)
    #expect(context?.isSampled == isSampled && context?.parent == 0)
    #expect(context?.traceparent == "00-\(Self.trace)-\(Self.span)-\(isSampled ? "01" : "00")")
    var bytes: [UInt8] = [1]
    context?.append(to: &bytes)
    #expect(bytes.dropFirst().elementsEqual(context?.traceparent.utf8 ?? "".utf8))
  }

  static let bad = [
    "", "00", "00-\(trace)-\(span)", "00-\(trace)-\(span)-", "00-\(trace)-\(span)-1", "00-\(trace)-\(span)-011",
    "00-\(trace)-\(span)-01-", "00-\(trace)-\(span)-01-x", "01-\(trace)-\(span)-01x", "01-\(trace)-\(span)-0",
    "ff-\(trace)-\(span)-01", "0-\(trace)-\(span)-01", "0x-\(trace)-\(span)-01", "00-\(trace)-\(span)-0g",
    "00_\(trace)-\(span)-01", "00-\(trace)_\(span)-01", "00-\(trace)-\(span)_01", " 00-\(trace)-\(span)-01",
    "00-00000000000000000000000000000000-\(span)-01", "00-\(trace)-0000000000000000-01",
    "00-\(trace.uppercased())-\(span)-01", "00-\(trace)-\(span.uppercased())-01",
    "00-\(trace.dropLast())é-\(span)-01", "00-\(trace)-\(span)-０1",
  ]
  @Test(arguments: bad) func `anything else is none`(_ text: String) { #expect(TraceContext(text) == nil) }

  @Test(arguments: 0...255) func `only lower-case hexadecimal digits are digits`(_ character: Int) {
    let isDigit = "0123456789abcdef".utf8.contains(UInt8(character))
    for place in [0, 1, 7, 8, 15, 16, 31] {
      var text = Array("00-\(Self.trace)-\(Self.span)-01".utf8)
      text[3 + place] = UInt8(character)
      let context = text.withUnsafeBytes { TraceContext($0) }
      #expect((context != nil) == isDigit)
      if isDigit { #expect(context?.traceparent == String(decoding: text, as: UTF8.self)) }
    }
  }

  @Test func `each hop has a span of its own in the caller's trace`() throws {
    var ids = TraceIDs(seed: 1)
    let caller = try #require(TraceContext("00-\(Self.trace)-\(Self.span)-01"))
    let first = ids.span(for: caller, nil)
    let second = ids.span(for: first, nil)
    #expect(first.traceID == Self.trace && second.traceID == Self.trace)
    #expect(first.parent == caller.span && second.parent == first.span)
    #expect(Set([caller.span, first.span, second.span]).count == 3)
    #expect(first.isSampled && second.isSampled)
  }

  @Test func `without a caller's a trace is begun, sampled only where it is recorded`() {
    var ids = TraceIDs(seed: 2)
    let unrecorded = ids.span(for: nil, nil)
    #expect(!unrecorded.isSampled && unrecorded.parent == 0 && TraceContext(unrecorded.traceparent) != nil)
    #expect(ids.span(for: nil, Sampler(ratio: 1, followsParent: true)).isSampled)
    #expect(!ids.span(for: nil, Sampler(ratio: 0, followsParent: true)).isSampled)
    let sampler = Sampler(ratio: 0.25, followsParent: true)
    let sampled = (0..<10_000).count { _ in ids.span(for: nil, sampler).isSampled }
    #expect((2_300...2_700).contains(sampled))
  }

  static let decisions: [(caller: String, sampler: Sampler?, isSampled: Bool)] = [
    ("01", nil, true), ("00", nil, false), ("01", Sampler(ratio: 0, followsParent: true), true),
    ("00", Sampler(ratio: 1, followsParent: true), false), ("01", Sampler(ratio: 0, followsParent: false), false),
    ("00", Sampler(ratio: 1, followsParent: false), true),
  ]
  @Test(arguments: decisions)
  func `the caller decides, except for samplers that do not follow`(
    _ caller: String, _ sampler: Sampler?, _ isSampled: Bool
  ) throws {
    var ids = TraceIDs(seed: 3)
    #expect(ids.span(for: TraceContext("00-\(Self.trace)-\(Self.span)-\(caller)"), sampler).isSampled == isSampled)
  }
}
