// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC
internal import Tracing

/// Writes the metadata that goes with a call to a service: the principal's cached bytes first, then what this call adds.
/// By hand, since it is made for every call; a test holds it to what `CallMetadata` encodes.
enum MetadataBytes {
  static func of(_ call: Call, locale: String?, idempotencyKey: String?) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(call.credential.metadataMember.count + 320)
    bytes.append(UInt8(ascii: "{"))
    bytes.append(contentsOf: call.credential.metadataMember)
    append(",\"requestId\":\"", to: &bytes)
    bytes.append(contentsOf: call.requestId.utf8)
    append("\",\"traceparent\":\"", to: &bytes)
    call.trace.append(to: &bytes)
    bytes.append(UInt8(ascii: "\""))
    if let idempotencyKey {
      append(",\"idempotencyKey\":", to: &bytes)
      bytes.append(contentsOf: (try? JSON.encode(idempotencyKey)) ?? Array("null".utf8))
    }
    if let locale {
      append(",\"locale\":\"", to: &bytes)
      bytes.append(contentsOf: locale.utf8)
      bytes.append(UInt8(ascii: "\""))
    }
    if call.message.gpc { append(",\"gpc\":true", to: &bytes) }
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }

  private static func append(_ text: StaticString, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private static let dash = UInt8(ascii: "-")

  /// A language tag that can stand in JSON as it is: 1 to 35 letters, digits and hyphens (BCP 47).
  static func isLocale(_ text: String) -> Bool {
    (1...35).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 32)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || $0 == dash
      }
  }
}
