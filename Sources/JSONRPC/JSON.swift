// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// JSON to and from Codable types, by the project's own scanner and writer (RFC 8259, strict).
public enum JSON {
  public static func encode<T: Encodable>(_ value: T) throws -> [UInt8] { fatalError("pending") }
  public static func encodeString<T: Encodable>(_ value: T) throws -> String { fatalError("pending") }
  public static func decode<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws -> T { fatalError("pending") }
  public static func decode<T: Decodable>(_ type: T.Type, from bytes: UnsafeRawBufferPointer) throws -> T {
    fatalError("pending")
  }
  public static func decode<T: Decodable>(_ type: T.Type, from text: String) throws -> T { fatalError("pending") }
  public static func canonical<T: Encodable>(_ value: T) throws -> [UInt8] { fatalError("pending") }
}

/// Why bytes are not the JSON that was asked for.
public struct JSONDecodingError: Error, Sendable, Equatable {
  /// Where, such as `quietHours.from.hour` or `checks[3].category`; empty for the whole value.
  public var path: String
  /// What is wrong and what is allowed; never the text found there.
  public var problem: String
  public init(path: String, problem: String) {
    self.path = path
    self.problem = problem
  }
}
