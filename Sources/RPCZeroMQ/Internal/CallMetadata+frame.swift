// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC

extension CallMetadata {
  /// Reads a metadata frame.
  /// - Throws: -32600 when it is too long or no such object. Its text is not repeated.
  init(frame: UnsafeRawBufferPointer, _ callers: CallerCache) throws(RPCError) {
    guard frame.count <= Envelope.metadataLimit else {
      throw RPCError(
        .invalidRequest, "the metadata has \(frame.count) bytes; at most \(Envelope.metadataLimit) are allowed",
        reason: "metadataTooLarge")
    }
    do {
      self = try CallMetadata(json: frame, callers)
    } catch {
      let place = error.path.isEmpty ? "metadata" : "metadata.\(error.path)"
      throw RPCError(.invalidRequest, "\(place): \(error.problem)", reason: "metadata")
    }
  }
}

extension Correlation {
  static let frameSize = 16

  /// The frame that one of Assent's own hops put in front of its request.
  init?(frame: UnsafeRawBufferPointer) {
    guard frame.count == Correlation.frameSize else { return nil }
    self.init(
      high: UInt64(bigEndian: frame.loadUnaligned(as: UInt64.self)),
      low: UInt64(bigEndian: frame.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }

  @inline(__always)
  func withFrame<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { bytes throws(E) in try body(bytes) }
  }
}
