// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// JSON to and from Codable types, by the project's own scanner and writer (RFC 8259, strict).
///
/// Nesting goes to 64 levels either way. Numbers that are no Double or integer of the type asked for are refused, never
/// rounded silently; `1.0` and `1e2` are integers. Encoders and containers that outlive `encode(to:)` must not be used.
public enum JSON {
  /// The text of `value`, members in the order in which it encodes them.
  /// - Throws: `EncodingError` for numbers that are not finite and for nesting deeper than 64.
  public static func encode<T: Encodable>(_ value: T) throws -> [UInt8] {
    try JSONOutput.bytes { try $0.encode(value) }
  }

  /// Like `encode`, as a string.
  public static func encodeString<T: Encodable>(_ value: T) throws -> String {
    try JSONOutput.string { try $0.encode(value) }
  }

  /// One value from the whole of `bytes`. Members that `type` does not ask for are ignored.
  public static func decode<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws(JSONDecodingError) -> T {
    do {
      return try bytes.withUnsafeBytes { try decode(type, from: $0) }
    } catch {
      throw JSONDecodingError(any: error)
    }
  }

  public static func decode<T: Decodable>(
    _ type: T.Type, from bytes: UnsafeRawBufferPointer
  ) throws(JSONDecodingError) -> T {
    do {
      return try TapeStorage.scanning(bytes) { try $0.decode(type, at: 0) }
    } catch {
      throw JSONDecodingError(any: error)
    }
  }

  public static func decode<T: Decodable>(_ type: T.Type, from text: String) throws(JSONDecodingError) -> T {
    var text = text
    do {
      return try text.withUTF8 { try decode(type, from: UnsafeRawBufferPointer($0)) }
    } catch {
      throw JSONDecodingError(any: error)
    }
  }

  /// The canonical text of `value` (RFC 8785): equal values have equal bytes, so they can be hashed and signed.
  /// - Throws: `JSONDecodingError` for a number that is no integer of at most 2^53 - 1; else as `encode`.
  public static func canonical<T: Encodable>(_ value: T) throws -> [UInt8] {
    let bytes = try encode(value)
    if value is any CanonicallyEncodable { return bytes }
    do {
      return try bytes.withUnsafeBytes { bytes in
        try TapeStorage.scanning(bytes) { tape in
          try JSONOutput.bytes { try CanonicalWriter(tape: tape, output: $0).write(0) }
        }
      }
    } catch let error as JSONSyntaxError {
      throw JSONDecodingError(any: error)
    }
  }

  /// The same, written straight from the value.
  public static func canonical(_ value: JSONValue) throws -> [UInt8] {
    var isCanonical = true
    let bytes = try JSONOutput.bytes { isCanonical = $0.pointee.put(canonical: value) }
    if isCanonical { return bytes }
    // Says which number it was.
    return try canonical(RawJSON(encode(value)))
  }
}
