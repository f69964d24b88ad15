// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CZeroMQ
internal import Glibc

/// A libzmq context: the IO threads behind a process's sockets. Sockets keep theirs alive; when the last of both is
/// gone it is terminated, which waits for the sockets' LINGER times.
///
/// Unchecked Sendable: a context is the one thing of libzmq that any thread may use, and the handle never changes.
public final class Context: @unchecked Sendable {
  let handle: UnsafeMutableRawPointer

  /// - Parameters:
  ///   - ioThreads: libzmq's own threads, one per GB/s of traffic.
  ///   - socketLimit: MAX_SOCKETS, lowered to a quarter of the process's descriptors when that is less.
  /// - Throws: `ZeroMQError` when descriptors have run out.
  public init(ioThreads: Int = 1, socketLimit: Int = 1023) throws(ZeroMQError) {
    _ = Context.seed
    guard let handle = zmq_ctx_new() else { throw .current }
    self.handle = handle
    try ZeroMQError.check(zmq_ctx_set(handle, ZMQ_IO_THREADS, CInt(ioThreads)))
    let limit = min(socketLimit, DescriptorLimit.raise() / 4)
    try ZeroMQError.check(zmq_ctx_set(handle, ZMQ_MAX_SOCKETS, CInt(max(8, limit))))
  }

  deinit {
    while zmq_ctx_term(handle) != 0 && zmq_errno() == EINTR {}
  }

  /// MAX_SOCKETS as in force.
  public var socketLimit: Int { Int(zmq_ctx_get(handle, ZMQ_MAX_SOCKETS)) }

  /// libzmq numbers a ROUTER's peers from `rand()`, which nobody has seeded. A client that knows the next number can
  /// claim it, which aborts the process when the next client connects.
  private static let seed: Void = srand(UInt32.random(in: 1...UInt32.max))
}
