// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Tracing

/// What is posted: OTLP's `ExportTraceServiceRequest`.
///
/// Source: opentelemetry-proto, collector/trace/v1/trace_service.proto, trace/v1/trace.proto, common/v1/common.proto; the
/// attributes' names: semantic conventions for RPC and JSON-RPC.
enum ExportRequest {
  private static let kindServer: UInt64 = 2
  private static let statusError: UInt64 = 2

  /// The `Resource` of a program, written once.
  static func resource(_ attributes: [(String, String)]) -> [UInt8] {
    var resource = ProtobufWriter()
    for (name, value) in attributes { resource.message(1) { attribute(name, value, &$0) } }
    return resource.bytes
  }

  /// - Parameters:
  ///   - resource: as above.
  ///   - offset: nanoseconds from the monotonic clock to the time since 1970.
  static func bytes(_ spans: ArraySlice<Span>, resource: [UInt8], offset: Int64) -> [UInt8] {
    var request = ProtobufWriter()
    request.message(1) { resourceSpans in
      resourceSpans.data(1, resource)
      resourceSpans.message(2) { scopeSpans in
        scopeSpans.message(1) { $0.text(1, "assent") }
        for one in spans { scopeSpans.message(2) { span(one, offset, &$0) } }
      }
    }
    return request.bytes
  }

  private static func span(_ span: Span, _ offset: Int64, _ writer: inout ProtobufWriter) {
    let context = span.context
    writer.data(1, bigEndian(context.traceHigh) + bigEndian(context.traceLow))
    writer.data(2, bigEndian(context.span))
    if context.parent != 0 { writer.data(4, bigEndian(context.parent)) }
    writer.text(5, span.name)
    writer.integer(6, kindServer)
    writer.fixed(7, UInt64(bitPattern: Int64(bitPattern: span.began) &+ offset))
    writer.fixed(8, UInt64(bitPattern: Int64(bitPattern: span.ended) &+ offset))
    writer.message(9) { attribute("rpc.system.name", "jsonrpc", &$0) }
    writer.message(9) { attribute("rpc.method", span.name, &$0) }
    writer.message(9) { attribute("assent.request.id", span.requestId, &$0) }
    if let error = span.error {
      writer.message(9) { attribute("rpc.response.status_code", String(error.code), &$0) }
      writer.message(9) { attribute("error.type", error.type, &$0) }
      writer.message(15) { $0.integer(3, statusError) }
    }
    // Bit 0: sampled, as it is here.
    writer.fixed(16, UInt32(1))
  }

  private static func attribute(_ name: String, _ value: String, _ writer: inout ProtobufWriter) {
    writer.text(1, name)
    writer.message(2) { $0.text(1, value) }
  }

  private static func bigEndian(_ word: UInt64) -> [UInt8] { withUnsafeBytes(of: word.bigEndian) { Array($0) } }
}
