// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// A request's `id`: its JSON text, so that it is echoed exactly as it came.
public struct RequestID: Sendable, Hashable {
  public let bytes: [UInt8]
  public init(bytes: [UInt8]) { self.bytes = bytes }
  public init(_ number: Int) { bytes = Array(String(number).utf8) }
  public static let null = RequestID(bytes: Array("null".utf8))
}
