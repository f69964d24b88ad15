// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Builds JSON-RPC requests (JSON-RPC 2.0, section 4).
public enum Request {
  /// - Parameter id: nil makes a notification.
  /// - Throws: what encoding `params` throws.
  public static func bytes<P: Encodable>(id: Int?, method: String, params: P) throws -> [UInt8] {
    try JSONOutput.bytes { output in
      output.pointee.put("{\"jsonrpc\":\"2.0\"")
      if let id {
        output.pointee.put(",\"id\":")
        output.pointee.put(integer: id)
      }
      output.pointee.put(",\"method\":")
      output.pointee.put(string: method)
      output.pointee.put(",\"params\":")
      try output.encode(params)
      output.pointee.put(UInt8(ascii: "}"))
    }
  }
}
