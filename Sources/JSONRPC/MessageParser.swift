// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Reads JSON-RPC messages where they lie. One for each thread, reused; parsing allocates nothing in the steady state.
public final class MessageParser {
  public init() {}
  /// - Parameter bytes: must stay valid while the result is used.
  public func parse(_ bytes: UnsafeRawBufferPointer) -> ParsedMessage { fatalError("pending") }
  public func methodName(_ request: ParsedRequest) -> String { fatalError("pending") }
  /// Nil when there is none, or none that could be read.
  public func id(_ request: ParsedRequest) -> RequestID? { fatalError("pending") }
  /// Typed params, by name only: unknown members, duplicates and U+0000 are refused and named; `_meta` is skipped;
  /// missing params are `{}`.
  public func params<P: Decodable>(_ type: P.Type, of request: ParsedRequest) throws(RPCError) -> P {
    fatalError("pending")
  }
  public func meta(_ request: ParsedRequest) throws(RPCError) -> RequestMeta? { fatalError("pending") }
  public func hasMeta(_ request: ParsedRequest) -> Bool { fatalError("pending") }
  /// The bytes of the whole request object.
  public func bytes(of request: ParsedRequest) -> UnsafeRawBufferPointer { fatalError("pending") }
  /// The request with `params._meta` cut out.
  public func bodyWithoutMeta(_ request: ParsedRequest) -> [UInt8] { fatalError("pending") }
}
