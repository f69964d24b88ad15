// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CZeroMQ

/// Room for one received message, used again for the next: frames are received in place, nothing is copied, and nothing
/// is allocated in the steady state.
///
/// A message with more frames or bytes than allowed is read to its end (else the socket would stay in its middle); what
/// is over the limit is let go at once. Belongs to the thread of its socket.
public final class MultipartMessage {
  private struct Contents {
    /// Frames kept.
    var count = 0
    /// Frames and bytes that were received, kept or not.
    var receivedFrames = 0
    var receivedBytes = 0
  }
  private let slots: UnsafeMutablePointer<zmq_msg_t>
  /// Behind a plain pointer: several looks at each message, each of which would be checked for exclusivity.
  private let contents: UnsafeMutablePointer<Contents>
  private let frameLimit: Int
  private let byteLimit: Int

  /// - Parameters:
  ///   - frameLimit: frames kept of a message.
  ///   - byteLimit: of all its frames together. A frame that goes beyond is kept as an empty one.
  public init(frameLimit: Int, byteLimit: Int) {
    self.frameLimit = frameLimit
    self.byteLimit = byteLimit
    contents = .allocate(capacity: 1)
    contents.initialize(to: Contents())
    slots = .allocate(capacity: frameLimit)
    for index in 0..<frameLimit { zmq_msg_init(slots + index) }
  }

  deinit {
    for index in 0..<frameLimit { zmq_msg_close(slots + index) }
    slots.deallocate()
    contents.deallocate()
  }

  /// Frames kept.
  public var count: Int { contents.pointee.count }
  /// Frames that were received, kept or not.
  public var receivedFrames: Int { contents.pointee.receivedFrames }
  /// Bytes that were received, kept or not.
  public var receivedBytes: Int { contents.pointee.receivedBytes }
  public var hasTooManyFrames: Bool { receivedFrames > frameLimit }
  public var hasTooManyBytes: Bool { receivedBytes > byteLimit }

  /// The bytes of a frame, valid until the next receive or `clear()`.
  public subscript(index: Int) -> UnsafeRawBufferPointer {
    precondition(index >= 0 && index < contents.pointee.count)
    return UnsafeRawBufferPointer(start: zmq_msg_data(slots + index), count: zmq_msg_size(slots + index))
  }

  /// Who sent the last message received, as the ZAP handler named its connection; nil without one.
  ///
  /// Read from the last frame: libzmq 4.3.4 loses it on a message's first frame after a poll.
  /// - Parameter body: must not let the pointer escape.
  @inline(__always)
  public func withUserID<R>(_ body: (UnsafePointer<CChar>?) -> R) -> R { withProperty("User-Id", body) }

  /// The public key of who sent the last message received; nil where it did not come by CURVE.
  public var senderKey: CurvePublicKey? {
    withProperty(ZapSocket.keyProperty) { $0.flatMap { CurvePublicKey(z85: String(cString: $0)) } }
  }

  @inline(__always)
  private func withProperty<R>(_ name: StaticString, _ body: (UnsafePointer<CChar>?) -> R) -> R {
    guard count > 0 else { return body(nil) }
    return name.utf8Start.withMemoryRebound(to: CChar.self, capacity: name.utf8CodeUnitCount + 1) { name in
      body(zmq_msg_gets(slots + (count - 1), name))
    }
  }

  /// Lets go of the frames' buffers.
  public func clear() {
    for index in 0..<count { empty(index) }
    contents.pointee = Contents()
  }

  /// Takes the next whole message. libzmq hands out whole messages only, so once there is a first frame the others are
  /// there too.
  /// - Returns: false when there is none.
  public func receive(from socket: Socket) throws(ZeroMQError) -> Bool {
    guard try socket.receive(into: slots) else { return false }
    var frames = 1
    var bytes = zmq_msg_size(slots)
    var more = zmq_msg_more(slots) != 0
    if bytes > byteLimit { empty(0) }
    while more {
      guard frames < frameLimit else {
        try dropRest(of: socket, &frames, &bytes)
        break
      }
      let slot = slots + frames
      guard try socket.receive(into: slot) else { break }
      bytes += zmq_msg_size(slot)
      more = zmq_msg_more(slot) != 0
      if bytes > byteLimit { empty(frames) }
      frames += 1
    }
    contents.pointee = Contents(count: min(frames, frameLimit), receivedFrames: frames, receivedBytes: bytes)
    return true
  }

  private func dropRest(of socket: Socket, _ frames: inout Int, _ bytes: inout Int) throws(ZeroMQError) {
    let message = Message()
    repeat {
      guard try socket.receive(into: message) else { return }
      frames += 1
      bytes += message.count
    } while message.hasMore
  }

  private func empty(_ index: Int) {
    zmq_msg_close(slots + index)
    zmq_msg_init(slots + index)
  }
}
