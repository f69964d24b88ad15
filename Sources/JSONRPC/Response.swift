// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Builds and reads JSON-RPC responses (JSON-RPC 2.0, section 5).
public enum Response {
  /// - Parameter resultJSON: one JSON value.
  public static func result(_ id: RequestID, _ resultJSON: [UInt8]) -> [UInt8] {
    let head: StaticString = "{\"jsonrpc\":\"2.0\",\"id\":"
    let middle: StaticString = ",\"result\":"
    let count = head.utf8CodeUnitCount + id.bytes.count + middle.utf8CodeUnitCount + resultJSON.count + 1
    return [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
      let memory = UnsafeMutableRawBufferPointer(bytes)
      func put(_ part: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: memory[filled...]).copyMemory(from: part)
        filled += part.count
      }
      func put(_ text: StaticString) {
        put(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
      }
      put(head)
      id.bytes.withUnsafeBytes(put)
      put(middle)
      resultJSON.withUnsafeBytes(put)
      put("}")
    }
  }

  /// - Parameter id: nil is answered as null.
  public static func error(_ id: RequestID?, _ error: RPCError) -> [UInt8] {
    do {
      return try JSONOutput.bytes { output in
        output.pointee.put("{\"jsonrpc\":\"2.0\",\"id\":")
        output.pointee.put((id ?? .null).bytes)
        output.pointee.put(",\"error\":")
        try output.encode(error)
        output.pointee.put(UInt8(ascii: "}"))
      }
    } catch {
      // Only `details` can be unwritable: a number that is not finite, or nesting too deep.
      return self.error(id, .internalError("an error that cannot be written"))
    }
  }

  /// The answer to a batch; empty when there is none (a batch of notifications).
  public static func batch(_ members: [[UInt8]]) -> [UInt8] {
    guard !members.isEmpty else { return [] }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(members.reduce(1) { $0 + $1.count + 1 })
    for member in members {
      bytes.append(bytes.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
      bytes += member
    }
    bytes.append(UInt8(ascii: "]"))
    return bytes
  }
}
