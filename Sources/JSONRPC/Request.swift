// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Builds JSON-RPC requests.
public enum Request {
  /// - Parameter id: nil makes a notification.
  public static func bytes<P: Encodable>(id: Int?, method: String, params: P) throws -> [UInt8] {
    fatalError("pending")
  }
}
