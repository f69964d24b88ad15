// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import Tracing

extension CallMetadata {
  /// Reads what a gateway sends with each call, members in its order and the principal one of those read before; nil for
  /// everything else, which is not to say that anything is wrong with it.
  init?(ordered frame: UnsafeRawBufferPointer, _ callers: CallerCache) {
    var reader = OrderedReader(frame)
    var timeout: Int64?
    if reader.skip(#"{"timeoutMs":"#) {
      timeout = reader.integer()
      if timeout == nil { return nil }
    }
    guard let timeout else { return nil }
    self.init(timeoutMs: Int(timeout))
    if reader.skip(#","expiresAt":"#) {
      guard let value = reader.integer() else { return nil }
      expiresAt = value
    }
    if reader.skip(#","attempt":"#) {
      guard let value = reader.integer() else { return nil }
      attempt = Int(value)
    }
    guard reader.skip(#","principal":"#), let object = reader.flatObject(),
      let known = callers.find(object.bindMemory(to: UInt8.self))
    else { return nil }
    caller = known
    if reader.skip(#","requestId":""#) {
      guard let text = reader.text() else { return nil }
      requestId = String(decoding: text, as: UTF8.self)
    }
    if reader.skip(#","traceparent":""#) {
      guard let text = reader.text(), let context = TraceContext(text) else { return nil }
      trace = context
    }
    if reader.skip(#","idempotencyKey":""#) {
      guard let text = reader.text() else { return nil }
      idempotencyKey = String(decoding: text, as: UTF8.self)
    }
    if reader.skip(#","locale":""#) {
      guard let text = reader.text() else { return nil }
      locale = String(decoding: text, as: UTF8.self)
    }
    if reader.skip(#","gpc":true"#) { gpc = true }
    guard reader.skip("}"), reader.isAtEnd else { return nil }
  }
}
