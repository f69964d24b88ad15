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

  init(
    _ dispatcher: Dispatcher, _ entry: MethodEntry, _ work: @escaping PreparedCall,
    _ context: CallContext, id: RequestID?, began: UInt64, answer: Answer
  ) {
    self.dispatcher = dispatcher
    self.entry = entry
    self.work = work
    self.context = context
    self.id = id
    self.began = began
    self.answer = answer
  }
}

/// Where a call's response object goes: exactly once, with no bytes for a notification.
enum Answer: Sendable {
  case single(@Sendable (OutboundReply) -> Void)
  /// A batch's member by its index.
  case member(BatchReply, Int)
}
