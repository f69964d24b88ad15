// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CZeroMQ
internal import Glibc

/// What libzmq refused, as an errno. The only place where one is read.
public struct ZeroMQError: Error, Equatable, Sendable, CustomStringConvertible {
  public let code: CInt
  public init(code: CInt) { self.code = code }

  /// The queue is full, or no peer is connected.
  public static let wouldBlock = ZeroMQError(code: EAGAIN)
  /// A ROUTER knows no peer of that routing id.
  public static let hostUnreachable = ZeroMQError(code: EHOSTUNREACH)
  public static let addressInUse = ZeroMQError(code: EADDRINUSE)
  /// The socket is in no state for the call, such as a REQ that sends twice.
  public static let wrongState = ZeroMQError(code: CInt(ZMQ_HAUSNUMERO) + 51)
  public static let contextTerminated = ZeroMQError(code: CInt(ZMQ_HAUSNUMERO) + 53)
  static let interrupted = ZeroMQError(code: EINTR)

  public var description: String { "ZeroMQ: \(String(cString: zmq_strerror(code))) (\(code))" }

  /// The error of the call that just failed on this thread.
  @inline(__always) static var current: ZeroMQError { ZeroMQError(code: zmq_errno()) }

  /// Throws if `result` is the -1 of a failed call.
  @inline(__always) @discardableResult
  static func check(_ result: CInt) throws(ZeroMQError) -> CInt {
    guard result >= 0 else { throw current }
    return result
  }
}
