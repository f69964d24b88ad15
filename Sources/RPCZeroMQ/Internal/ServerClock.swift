// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import JSONRPC
internal import RPC

/// The server's monotonic clock as its replies show it, so that requests can say when they expire: a server that was
/// paused must not run old writes when it wakes.
struct ServerClock {
  /// Bytes of a frame that is remembered.
  private static let longest = 256
  private var instance: String?
  /// Server's time minus ours, in milliseconds, at least: a reply's time is older by the way it took, so the largest
  /// difference seen is nearest to the truth.
  private var offset: Int64?
  /// What was read last: of the replies of one millisecond all but the first say the same.
  private var last = ReplyMetadata()
  private var lastFrame: [UInt8] = []

  /// A time of our monotonic clock in the server's, both in milliseconds; nil before the first reply.
  func time(of milliseconds: Int64) -> Int64? { offset.map { milliseconds + $0 } }

  /// Reads a reply's metadata frame. What cannot be read counts as empty: the body is what matters.
  mutating func read(_ frame: UnsafeRawBufferPointer) -> ReplyMetadata {
    if !lastFrame.isEmpty, frame.count == lastFrame.count,
      memcmp(frame.baseAddress!, lastFrame, frame.count) == 0
    {
      return last
    }
    let metadata =
      ReplyMetadata(ordered: frame, knownInstance: instance)
      ?? (try? JSON.decode(ReplyMetadata.self, from: frame)) ?? ReplyMetadata()
    lastFrame = frame.count <= ServerClock.longest ? Array(frame) : []
    last = metadata
    if metadata.instance != instance {
      instance = metadata.instance
      offset = nil
    }
    if let serverNow = metadata.serverNow {
      offset = max(offset ?? .min, serverNow - MonotonicClock.milliseconds())
    }
    return metadata
  }
}
