// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CPostgreSQL

/// The parameters of one statement in PostgreSQL's binary format, in the shape libpq takes them. Made once and filled
/// again for each statement. Used by one thread at a time.
public final class Parameters {
  /// Types by their fixed object ids (`pg_type.dat`).
  public enum DataType: UInt32, Sendable {
    /// Left to the server.
    case unspecified = 0
    case bytea = 17
    case int8 = 20
    case text = 25
    case float8 = 701
    case byteaArray = 1001
    case textArray = 1009
    case int8Array = 1016
    case float8Array = 1022

    /// The type of arrays of this one.
    public var array: DataType? {
      switch self {
      case .bytea: .byteaArray
      case .text: .textArray
      case .int8: .int8Array
      case .float8: .float8Array
      default: nil
      }
    }
  }

  private var bytes: [UInt8] = []
  /// Where each value begins; -1: NULL.
  private var starts: [Int] = []
  private var lengths: [CInt] = []
  private var formats: [CInt] = []
  private(set) var typeIdentifiers: [Oid] = []

  public init() {}

  public var count: Int { starts.count }

  /// The type of a parameter, from 0; unspecified when it is NULL.
  public func type(_ index: Int) -> DataType { DataType(rawValue: typeIdentifiers[index]) ?? .unspecified }

  public func removeAll() {
    // What was large once need not stay.
    bytes.removeAll(keepingCapacity: bytes.count < 1 << 16)
    starts.removeAll(keepingCapacity: true)
    lengths.removeAll(keepingCapacity: true)
    formats.removeAll(keepingCapacity: true)
    typeIdentifiers.removeAll(keepingCapacity: true)
  }

  public func appendNull() { note(start: -1, length: 0, .unspecified) }

  public func append(_ value: Int64) {
    let start = bytes.count
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    note(start: start, length: 8, .int8)
  }
  public func append(_ value: Double) {
    let start = bytes.count
    withUnsafeBytes(of: value.bitPattern.bigEndian) { bytes.append(contentsOf: $0) }
    note(start: start, length: 8, .float8)
  }
  /// - Precondition: no U+0000 in it; the server would refuse it, and with it all of the transaction.
  public func append(_ value: String) {
    let start = bytes.count
    var value = value
    value.withUTF8 { bytes.append(contentsOf: $0) }
    note(start: start, length: bytes.count - start, .text)
  }
  public func append(_ value: [UInt8]) {
    let start = bytes.count
    bytes.append(contentsOf: value)
    note(start: start, length: value.count, .bytea)
  }

  /// Appends one array of what `element` appends, for each index one value of type `type` or NULL.
  /// - Precondition: `type` has an array type.
  public func appendArray(of type: DataType, count: Int, _ element: (_ index: Int) -> Void) {
    let start = bytes.count
    // array_send: dimensions, whether there are NULLs, the elements' type, length and lower bound of the dimension.
    for word in [1, 1, type.rawValue, UInt32(count), 1] { append(word: word) }
    let outer = starts.count
    for index in 0..<count {
      let length = bytes.count
      append(word: UInt32.max)
      element(index)
      precondition(starts.count == outer + 1, "one value for each element")
      if starts.removeLast() >= 0 { set(word: UInt32(lengths.last!), at: length) }
      lengths.removeLast()
      formats.removeLast()
      typeIdentifiers.removeLast()
    }
    note(start: start, length: bytes.count - start, type.array!)
  }

  private func append(word: UInt32) { withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) } }

  private func set(word: UInt32, at place: Int) {
    withUnsafeBytes(of: word.bigEndian) { word in
      for (offset, byte) in word.enumerated() { bytes[place + offset] = byte }
    }
  }

  private func note(start: Int, length: Int, _ type: DataType) {
    starts.append(start)
    lengths.append(CInt(length))
    formats.append(1)
    typeIdentifiers.append(type.rawValue)
  }

  /// Calls `body` with arrays that live as long as the call; libpq copies what they point at.
  func withArrays<R>(
    _ body: (
      _ types: UnsafePointer<Oid>?, _ values: UnsafePointer<UnsafePointer<CChar>?>?, _ lengths: UnsafePointer<CInt>?,
      _ formats: UnsafePointer<CInt>?
    ) -> R
  ) -> R {
    guard !starts.isEmpty else { return body(nil, nil, nil, nil) }
    return withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: starts.count) { values in
      bytes.withUnsafeBytes { raw in
        // An empty value is not NULL: it needs an address all the same.
        let base = raw.baseAddress ?? UnsafeRawPointer(values.baseAddress!)
        for (index, start) in starts.enumerated() {
          values.initializeElement(at: index, to: start < 0 ? nil : (base + start).assumingMemoryBound(to: CChar.self))
        }
        return body(typeIdentifiers, values.baseAddress, lengths, formats)
      }
    }
  }
}
