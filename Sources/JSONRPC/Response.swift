// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Builds and reads JSON-RPC responses.
public enum Response {
  public static func result(_ id: RequestID, _ resultJSON: [UInt8]) -> [UInt8] { fatalError("pending") }
  /// - Parameter id: nil is answered as null.
  public static func error(_ id: RequestID?, _ error: RPCError) -> [UInt8] { fatalError("pending") }
  /// The answer to a batch; empty when there is none (a batch of notifications).
  public static func batch(_ members: [[UInt8]]) -> [UInt8] { fatalError("pending") }
  /// - Parameter bytes: must stay valid while the result is used.
  public static func parse(_ bytes: UnsafeRawBufferPointer) -> ParsedResponse { fatalError("pending") }
}

/// A response as a client sees it.
public enum ParsedResponse {
  /// The bytes of `result`, within the response's own.
  case result(id: RequestID, UnsafeRawBufferPointer)
  /// The call failed; or the response is none (reason `malformedReply`, id nil).
  case error(id: RequestID?, RPCError)
}
