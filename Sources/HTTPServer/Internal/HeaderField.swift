// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CMicroHTTPD
internal import Glibc

/// One header of a request, where libmicrohttpd keeps it: good as long as the request. They are listed once, since looking
/// one up goes through all of them each time.
struct HeaderField {
  let name: UnsafePointer<CChar>
  let nameLength: Int
  let value: UnsafePointer<CChar>?
  let valueLength: Int

  /// In any case.
  func isNamed(_ text: StaticString) -> Bool {
    guard nameLength == text.utf8CodeUnitCount else { return false }
    return strncasecmp(name, UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self), nameLength) == 0
  }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: value, count: valueLength) }

  /// The request's headers, in its order.
  static func list(_ connection: OpaquePointer, into fields: inout [HeaderField]) {
    fields.removeAll(keepingCapacity: true)
    withUnsafeMutablePointer(to: &fields) { fields in
      _ = MHD_get_connection_values_n(
        connection, .HEADER_KIND,
        { context, _, name, nameLength, value, valueLength in
          context!.assumingMemoryBound(to: [HeaderField].self).pointee.append(
            HeaderField(name: name!, nameLength: nameLength, value: value, valueLength: valueLength))
          return .YES
        }, fields)
    }
  }
}
