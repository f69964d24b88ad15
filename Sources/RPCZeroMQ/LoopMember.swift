// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import ZeroMQ

/// A part of a process that lives on its `SocketThread`: sockets or plain descriptors and what is done when they are
/// ready. Every method is called on that thread and must not block.
public protocol LoopMember: AnyObject {
  /// What the loop waits for. Asked when the member is attached and after `SocketThread.pollItemsChanged(of:)`.
  func pollItems() -> [PollItem]

  /// Called before `turn()` for each item that is ready, by its place in `pollItems()`.
  func isReady(_ item: Int)

  /// Does what there is to do, up to some 256 messages, without waiting. Called when an item is ready, when
  /// `nextTimeout()` is over and after `SocketThread.giveTurn(to:)`.
  /// - Returns: whether to be called again before the loop sleeps. False promises that what was readable has been read
  ///   until nothing was left; descriptors are polled by level, so a mistake costs a lap, not a message.
  func turn() -> Bool

  /// Every member has had its turn and the loop is about to wait: the moment to send what was gathered meanwhile. Called
  /// at the end of each lap.
  func flush()

  /// Milliseconds until `turn()` must be called even if nothing is ready; nil: no need. Asked before each sleep.
  func nextTimeout() -> Int?

  /// The loop ends: let go of sockets and descriptors now. Members attached later are stopped first.
  func stop()
}

extension LoopMember {
  public func isReady(_ item: Int) {}
  public func flush() {}
}
