// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import RPC
internal import ZeroMQ

/// The way back to the sender of one message: the ROUTER's routing id and the route's frames, copied, since the reply may
/// leave long after the message's buffers are used again. One allocation for each message.
///
/// Unchecked Sendable: nothing changes after `init`.
final class ReplyRoute: @unchecked Sendable {
  let server: ServerSocket
  let hasMetadata: Bool
  /// The sender waits for a message even where there is nothing to say: a REQ, which is locked until then, and a hop of
  /// Assent's own (a correlation and metadata), which keeps the call until it is told that it is done.
  let awaitsReply: Bool
  private let count: Int
  // Frames one behind the other, each with its length in front: here if they fit, else in `long`.
  private let short: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)
  private let long: [UInt8]
  private static let room = 48

  init(_ server: ServerSocket, _ message: MultipartMessage, _ envelope: Envelope) {
    self.server = server
    hasMetadata = envelope.metadata != nil
    let last = envelope.route.last.map { message[$0].count }
    awaitsReply = last == 0 || (hasMetadata && last == Correlation.frameSize)
    var count = 4 + message[0].count
    for index in envelope.route { count += 4 + message[index].count }
    self.count = count
    var short: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0)
    if count <= ReplyRoute.room {
      withUnsafeMutableBytes(of: &short) { ReplyRoute.write(message, envelope, into: $0) }
      long = []
    } else {
      long = [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
        ReplyRoute.write(message, envelope, into: UnsafeMutableRawBufferPointer(buffer))
        used = count
      }
    }
    self.short = short
  }

  private static func write(
    _ message: MultipartMessage, _ envelope: Envelope, into buffer: UnsafeMutableRawBufferPointer
  ) {
    var offset = 0
    func add(_ frame: UnsafeRawBufferPointer) {
      buffer.storeBytes(of: UInt32(frame.count), toByteOffset: offset, as: UInt32.self)
      UnsafeMutableRawBufferPointer(rebasing: buffer[(offset + 4)...]).copyMemory(from: frame)
      offset += 4 + frame.count
    }
    add(message[0])
    for index in envelope.route { add(message[index]) }
  }

  /// The handler's answer, from any thread.
  func answer(_ reply: OutboundReply) { server.answer(reply, to: self) }

  /// The routing id first, then the route.
  struct Frames {
    fileprivate var rest: UnsafeRawBufferPointer
    mutating func next() -> UnsafeRawBufferPointer? {
      guard rest.count >= 4 else { return nil }
      let count = Int(rest.loadUnaligned(as: UInt32.self))
      let frame = UnsafeRawBufferPointer(rebasing: rest[4..<4 + count])
      rest = UnsafeRawBufferPointer(rebasing: rest[(4 + count)...])
      return frame
    }
  }

  @inline(__always)
  func withFrames<R>(_ body: (inout Frames) throws(ZeroMQError) -> R) throws(ZeroMQError) -> R {
    let result: Result<R, ZeroMQError>
    if count <= ReplyRoute.room {
      result = withUnsafeBytes(of: short) { bytes in
        ReplyRoute.visit(UnsafeRawBufferPointer(rebasing: bytes[..<count]), body)
      }
    } else {
      result = long.withUnsafeBytes { ReplyRoute.visit($0, body) }
    }
    return try result.get()
  }

  @inline(__always)
  private static func visit<R>(
    _ bytes: UnsafeRawBufferPointer, _ body: (inout Frames) throws(ZeroMQError) -> R
  ) -> Result<R, ZeroMQError> {
    var frames = Frames(rest: bytes)
    do throws(ZeroMQError) { return .success(try body(&frames)) } catch { return .failure(error) }
  }

  /// The ROUTER's name of the peer.
  var routingID: [UInt8] {
    (try? withFrames { frames throws(ZeroMQError) in frames.next().map { Array($0) } ?? [] }) ?? []
  }
}
