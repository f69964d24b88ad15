// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Writes a message of Protocol Buffers. Fields with their default value are left out by whoever calls.
///
/// Source: Protocol Buffers documentation, "Encoding".
struct ProtobufWriter {
  private(set) var bytes: [UInt8] = []

  private enum WireType: UInt64 {
    case varint = 0
    case fixed64 = 1
    case lengthDelimited = 2
    case fixed32 = 5
  }

  mutating func integer(_ field: UInt64, _ value: UInt64) {
    tag(field, .varint)
    varint(value)
  }

  mutating func fixed(_ field: UInt64, _ value: UInt64) {
    tag(field, .fixed64)
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func fixed(_ field: UInt64, _ value: UInt32) {
    tag(field, .fixed32)
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Of `bytes` or a message that is written already.
  mutating func data(_ field: UInt64, _ value: some Collection<UInt8>) {
    tag(field, .lengthDelimited)
    varint(UInt64(value.count))
    bytes.append(contentsOf: value)
  }

  mutating func text(_ field: UInt64, _ value: String) { data(field, value.utf8) }

  mutating func message(_ field: UInt64, _ write: (inout ProtobufWriter) -> Void) {
    var inner = ProtobufWriter()
    write(&inner)
    data(field, inner.bytes)
  }

  private mutating func tag(_ field: UInt64, _ type: WireType) { varint(field << 3 | type.rawValue) }

  private mutating func varint(_ value: UInt64) {
    var rest = value
    while rest > 0x7f {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
