// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import Synchronization

/// One call from its decoded params to its answer: all that its task needs, in one object.
final class RunningCall: Sendable {
  let dispatcher: Dispatcher
  let entry: MethodEntry
  let work: PreparedCall
  let context: CallContext
  /// Nil for a notification.
  let id: RequestID?
  /// Nanoseconds of the monotonic clock.
  let began: UInt64
  let answer: Answer

  // For `ActiveCalls`. The key is written before `isAdded` is set and read after it was seen set.
  let isAdded = Atomic<Bool>(false)
  let hasEnded = Atomic<Bool>(false)
  nonisolated(unsafe) var key: ActiveCalls.Key?

  /// Of a call that waits for something, whose place it takes.
  let connection: UInt64
  private let place = Atomic<UInt8>(RunningCall.noPlace)
  private static let noPlace: UInt8 = 0
  private static let hasPlace: UInt8 = 1
  private static let ended: UInt8 = 2

  /// Takes a place of its connection's share, unless it has ended.
  func takePlace(in share: FairShare) {
    share.take(connection)
    let (isTaken, _) = place.compareExchange(
      expected: RunningCall.noPlace, desired: RunningCall.hasPlace, ordering: .acquiringAndReleasing)
    if !isTaken { share.giveBack(connection) }
  }

  /// It ends, and gives its place back if it had one.
  func leavePlace(in share: FairShare) {
    if place.exchange(RunningCall.ended, ordering: .acquiringAndReleasing) == RunningCall.hasPlace {
      share.giveBack(connection)
    }
  }

  init(
    _ dispatcher: Dispatcher, _ entry: MethodEntry, _ work: @escaping PreparedCall,
    _ context: CallContext, id: RequestID?, began: UInt64, connection: UInt64, answer: Answer
  ) {
    self.dispatcher = dispatcher
    self.entry = entry
    self.work = work
    self.context = context
    self.id = id
    self.began = began
    self.connection = connection
    self.answer = answer
  }
}

/// Where a call's response object goes: exactly once, with no bytes for a notification.
enum Answer: Sendable {
  case single(@Sendable (OutboundReply) -> Void)
  /// A batch's member by its index.
  case member(BatchReply, Int)
}
