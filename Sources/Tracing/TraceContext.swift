// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Which trace an operation is part of, and which span of it the operation is: W3C's `traceparent`.
///
/// Source: W3C Trace Context, level 1, sections 3.2 and 4.
public struct TraceContext: Sendable, Hashable {
  public let traceHigh: UInt64
  public let traceLow: UInt64
  /// Of the operation; in what a caller sent, of the caller's.
  public let span: UInt64
  /// The span that this one is part of; 0: none is known.
  public let parent: UInt64
  /// Whether the one who began the trace records it.
  public let isSampled: Bool

  /// Characters of a `traceparent` of version 00.
  public static let length = 55

  /// - Precondition: the trace and the span are not 0.
  public init(traceHigh: UInt64, traceLow: UInt64, span: UInt64, parent: UInt64 = 0, isSampled: Bool) {
    self.traceHigh = traceHigh
    self.traceLow = traceLow
    self.span = span
    self.parent = parent
    self.isSampled = isSampled
  }

  /// Reads a `traceparent`. Of versions that are not known yet what version 00 says is read.
  /// - Returns: nil for what is none: whoever gets it begins a trace.
  public init?(_ text: UnsafeRawBufferPointer) {
    let dash = UInt8(ascii: "-")
    guard text.count >= TraceContext.length, let start = text.baseAddress else { return nil }
    // Nothing is decided before all was read, so that the reading is one run without branches.
    var faults: UInt64 = 0
    let version = HexWord.byte(start, at: 0, &faults)
    let high = HexWord.read(start, at: 3, &faults)
    let low = HexWord.read(start, at: 19, &faults)
    let span = HexWord.read(start, at: 36, &faults)
    let flags = HexWord.byte(start, at: 53, &faults)
    guard faults == 0, text[2] == dash, text[35] == dash, text[52] == dash, version != 0xff,
      text.count == TraceContext.length || (version != 0 && text[TraceContext.length] == dash),
      high | low != 0, span != 0
    else { return nil }
    self.init(traceHigh: high, traceLow: low, span: span, isSampled: flags & 1 != 0)
  }

  public init?(_ text: String) {
    var text = text
    guard let context = text.withUTF8({ TraceContext(UnsafeRawBufferPointer($0)) }) else { return nil }
    self = context
  }

  /// Writes the `traceparent` that others are sent, version 00.
  public func append(to bytes: inout [UInt8]) {
    withUnsafeTemporaryAllocation(byteCount: TraceContext.length, alignment: 1) { text in
      write(to: text)
      bytes.append(contentsOf: text)
    }
  }

  public var traceparent: String {
    String(unsafeUninitializedCapacity: TraceContext.length) {
      write(to: UnsafeMutableRawBufferPointer($0))
      return TraceContext.length
    }
  }

  /// 32 hexadecimal digits.
  public var traceID: String { HexWord.text(traceHigh) + HexWord.text(traceLow) }
  /// 16 hexadecimal digits.
  public var spanID: String { HexWord.text(span) }

  private func write(to text: UnsafeMutableRawBufferPointer) {
    let (zero, dash) = (UInt8(ascii: "0"), UInt8(ascii: "-"))
    text[0] = zero
    text[1] = zero
    text[2] = dash
    HexWord.write(traceHigh, to: text, at: 3)
    HexWord.write(traceLow, to: text, at: 19)
    text[35] = dash
    HexWord.write(span, to: text, at: 36)
    text[52] = dash
    text[53] = zero
    text[54] = isSampled ? zero + 1 : zero
  }
}

extension TraceContext: Codable {
  /// - Throws: `DecodingError` for what is no `traceparent`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let context = TraceContext(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "must be a W3C traceparent")
    }
    self = context
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(traceparent)
  }
}
