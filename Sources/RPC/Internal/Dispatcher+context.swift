// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import Metrics
internal import Tracing

/// What a call comes with besides its params.
extension Dispatcher {
  /// The call's context: `_meta` before the metadata frame; a principal only from a peer that is believed.
  func context(
    _ request: ParsedRequest, of message: InboundMessage, _ now: UInt64, keySuffix: Int?
  ) throws(RPCError) -> CallContext {
    let caller = try message.peer.caller(claiming: message.metadata.caller)
    if let expiresAt = message.metadata.expiresAt, expiresAt < Int64(now / 1_000_000) {
      throw .deadlineExceeded("expired before it was looked at", processed: .no)
    }
    let meta = try parser.meta(request)
    var key = meta?.idempotencyKey ?? message.metadata.idempotencyKey
    if let whole = key, let keySuffix, meta?.idempotencyKey == nil { key = "\(whole)#\(keySuffix)" }
    if let key, key.isEmpty || key.utf8.count > 128 {
      throw .invalidParams("idempotencyKey", "must be 1 to 128 bytes")
    }
    let timeout = meta?.timeoutMs ?? message.metadata.timeoutMs ?? Deadline.standardMilliseconds
    guard timeout >= 1 else {
      throw .invalidParams(
        "timeoutMs", "\(timeout) is less than 1; more than \(Deadline.longestMilliseconds) counts as that")
    }
    return CallContext(
      caller: caller,
      name: message.metadata.requestId.map { .given($0) } ?? nextName(),
      deadline: Deadline(uptimeNanoseconds: now + UInt64(min(timeout, Deadline.longestMilliseconds)) * 1_000_000),
      trace: traceIDs.span(
        for: meta?.traceparent.flatMap { TraceContext($0) } ?? message.metadata.trace, tracer?.sampler),
      idempotencyKey: key,
      locale: meta?.locale ?? message.metadata.locale, gpc: message.metadata.gpc ?? false,
      attempt: message.metadata.attempt ?? 1)
  }

  func nextName() -> RequestName {
    requestNumber.increment()
    return .numbered(instance: instance, requestNumber.value)
  }

  func key(of message: InboundMessage, _ id: RequestID?) -> ActiveCalls.Key? {
    if let correlation = message.correlation { return .correlation(correlation) }
    return id.map { .id(connection: message.connection, $0) }
  }

  /// `rpc.cancel` needs the message it came with, so it is answered here. Its params have been decoded once by then.
  func cancel(_ request: ParsedRequest, of message: InboundMessage) throws(RPCError) -> [UInt8] {
    let id = try parser.params(CancelParams.self, of: request).requestID()
    var found = active.cancel(.id(connection: message.connection, id))
    if !found, let correlation = Correlation(quotedHexadecimal: id.bytes) {
      found = active.cancel(.correlation(correlation))
    }
    return Array(#"{"found":\#(found)}"#.utf8)
  }
}
