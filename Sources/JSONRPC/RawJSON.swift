// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// The bytes of one JSON value: written as they are, read as a copy of the value's bytes.
public struct RawJSON: Codable, Sendable, Hashable {
  public let bytes: [UInt8]

  /// - Parameter bytes: one JSON value. It is not checked again.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  public init(from decoder: any Decoder) throws {
    if let decoder = decoder as? TapeDecoder {
      self = decoder.tape.rawJSON(decoder.index)
    } else {
      bytes = try JSON.encode(JSONValue(from: decoder))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    if let encoder = encoder as? ByteEncoder {
      encoder.output.pointee.put(bytes)
    } else {
      try JSON.decode(JSONValue.self, from: bytes).encode(to: encoder)
    }
  }
}
