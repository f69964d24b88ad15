// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CZeroMQ

/// One frame, owner of its bytes. The `zmq_msg_t` lies at a fixed address, since libzmq forbids to move one.
public struct Message: ~Copyable {
  let storage: UnsafeMutablePointer<zmq_msg_t>

  /// An empty frame.
  public init() {
    storage = .allocate(capacity: 1)
    zmq_msg_init(storage)
  }

  /// A frame of `count` bytes, written by `fill`.
  public init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) throws(ZeroMQError) {
    storage = .allocate(capacity: 1)
    zmq_msg_init(storage)
    try ZeroMQError.check(zmq_msg_init_size(storage, count))
    fill(UnsafeMutableRawBufferPointer(start: zmq_msg_data(storage), count: count))
  }

  deinit {
    zmq_msg_close(storage)
    storage.deallocate()
  }

  public var count: Int { zmq_msg_size(storage) }

  /// Whether another frame of the same message follows.
  public var hasMore: Bool { zmq_msg_more(storage) != 0 }

  /// - Parameter body: must not let the pointer escape.
  public borrowing func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try body(UnsafeRawBufferPointer(start: zmq_msg_data(storage), count: zmq_msg_size(storage)))
  }

  public var copiedBytes: [UInt8] { withUnsafeBytes { Array($0) } }
}
