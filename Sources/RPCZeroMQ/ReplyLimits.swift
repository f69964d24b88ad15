// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import ZeroMQ

/// What a `ZeroMQServer` keeps of replies that clients do not read. A client that is further behind loses its own.
public struct ReplyLimits: Sendable {
  /// Replies that libzmq queues for one client, and of large ones the bytes, or one.
  public var queued: Int
  public var queuedBytes: Int
  /// Replies that wait for one client besides.
  public var waiting: Int
  /// Bytes that wait for one client, and for all together, with what libzmq has of large replies. One may have as many as
  /// are free, so others find some.
  public var bytesPerClient: Int
  public var bytesInAll: Int
  /// Bytes that the kernel takes for one client; nil: as it likes.
  public var kernelBytes: Int?

  /// For programs of ours, which read what they have asked for.
  public static let bus = ReplyLimits(
    queued: SocketDefaults.highWaterMark, queuedBytes: .max, waiting: 1_024, bytesPerClient: 8 << 20,
    bytesInAll: 64 << 20, kernelBytes: nil)

  /// For anybody's clients: few replies in libzmq, where nobody can bound them all, and more of them here. With 64 in libzmq
  /// calls of a client with 400 under way cost the gateway a tenth more, with 256 nothing.
  /// - Parameter bytes: of all clients together.
  public static func clients(bytes: Int) -> ReplyLimits {
    ReplyLimits(
      queued: 128, queuedBytes: 256 << 10, waiting: 2_560, bytesPerClient: bytes / 2, bytesInAll: bytes,
      kernelBytes: 64 << 10)
  }

  /// Replies of so many bytes are counted while libzmq has them, where they are bounded.
  static let large = 512
}
