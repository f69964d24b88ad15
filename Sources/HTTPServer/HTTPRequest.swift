// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CMicroHTTPD
internal import Glibc

/// Which request an answer belongs to. Never reused: it holds the slot's generation.
public struct HTTPRequestID: Sendable, Hashable {
  let bits: UInt64
  init(bits: UInt64) { self.bits = bits }
  init(slot: Int, generation: UInt32) { bits = UInt64(generation) << 32 | UInt64(UInt32(slot)) }
  /// Small, and used again for later requests once this one has ended.
  public var slot: Int { Int(UInt32(truncatingIfNeeded: bits)) }
  var generation: UInt32 { UInt32(bits >> 32) }
}

public enum HTTPMethod: Sendable, Hashable {
  case get, head, post, put, delete, options, other

  init(_ name: UnsafePointer<CChar>) {
    switch strlen(name) {
    case 3 where strcmp(name, "GET") == 0: self = .get
    case 3 where strcmp(name, "PUT") == 0: self = .put
    case 4 where strcmp(name, "POST") == 0: self = .post
    case 4 where strcmp(name, "HEAD") == 0: self = .head
    case 6 where strcmp(name, "DELETE") == 0: self = .delete
    case 7 where strcmp(name, "OPTIONS") == 0: self = .options
    default: self = .other
    }
  }
}

/// A request as its handler sees it: a view of what libmicrohttpd has parsed, good during the handler's call only.
public struct HTTPRequest {
  public let id: HTTPRequestID
  public let method: HTTPMethod
  /// Percent-decoded, without the query. A path with `%00` in it stays encoded.
  public let path: String
  /// Whence it came.
  public let source: HTTPSource
  private let connection: OpaquePointer
  private let headers: [HeaderField]

  init(id: HTTPRequestID, path: UnsafePointer<CChar>, source: HTTPSource, exchange: Exchange) {
    self.source = source
    self.id = id
    method = exchange.method
    self.path = String(cString: path)
    connection = exchange.connection!
    headers = exchange.headers
  }

  /// The first header of that name, in any case, as its bytes. They are good during the handler's call only.
  public func headerBytes(_ name: StaticString) -> UnsafeRawBufferPointer? {
    for field in headers where field.isNamed(name) { return field.bytes }
    return nil
  }

  /// The first header of that name, in any case.
  public func header(_ name: StaticString) -> String? {
    headerBytes(name).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Of a header that is a list: the values of all its lines, in their order, joined by commas, as if it had been one line;
  /// nil where there is none.
  ///
  /// Source: RFC 9110, section 5.3.
  public func list(_ name: StaticString) -> String? {
    guard let first = headers.firstIndex(where: { $0.isNamed(name) }) else { return nil }
    var joined = String(decoding: headers[first].bytes, as: UTF8.self)
    for field in headers[(first + 1)...] where field.isNamed(name) {
      joined += ", " + String(decoding: field.bytes, as: UTF8.self)
    }
    return joined
  }

  /// The first query parameter of that name, percent-decoded.
  public func query(_ name: StaticString) -> String? {
    let name = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    return MHD_lookup_connection_value(connection, .GET_ARGUMENT_KIND, name).map { String(cString: $0) }
  }

  /// The peer's numeric address, without its port; of IPv6 its network.
  public var remoteAddress: String { source.address }
}
