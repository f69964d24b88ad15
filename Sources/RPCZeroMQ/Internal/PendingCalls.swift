// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC

/// One attempt of a call: waiting to be sent, or sent to a replica.
struct PendingCall {
  /// Another one for each attempt, so that a reply to an earlier one is told from a reply to this one.
  var correlation: Correlation
  let token: CallToken
  let completion: @Sendable (InboundReply) -> Void
  /// Kept while the call lasts: it may be sent again.
  let request: OutboundRequest
  /// Where it was sent; nil: it waits.
  var replica: Replica?
  /// The number of the connection it was sent on.
  var connection = 0
  /// In monotonic nanoseconds.
  var sentAt: UInt64 = 0
  /// When the attempt has taken too long; of a waiting call, when it may be sent. In monotonic milliseconds.
  var attemptEnds = Int64.max
  /// How long it might take, once it has taken longer and is waited for all the same. In milliseconds.
  var patience: Int64?
  /// When a second attempt is made beside it, in monotonic milliseconds.
  var hedgesAt = Int64.max
  /// Nil while all goes well.
  var history: CallHistory?

  var isSent: Bool { replica != nil }
  var isLate: Bool { patience != nil }
  /// Whether any attempt, this one included, may have been carried out.
  var mayHaveRun: RPCError.Processed { isSent || history?.mayHaveRun == true ? .unknown : .no }
  /// In monotonic milliseconds, rounded up.
  var deadline: Int64 { Int64((request.deadline.uptimeNanoseconds + 999_999) / 1_000_000) }
}

/// What became of a call's earlier attempts, and which attempt runs beside this one.
final class CallHistory {
  /// Repeats so far.
  var repeats = 0
  /// Refused unseen, and sent on.
  var transfers = 0
  var mayHaveRun = false
  /// It had a repeat that the budget did not pay for.
  var wasFree = false
  /// Where it failed, the last one last, and who was silent then.
  var avoids: [Replica] = []
  /// The hedge, or what it was made beside.
  var partner: Correlation?
  /// Whether a hedge was made.
  var isHedged = false

  /// The number of the attempt that is made next, counted from 1.
  var attempt: Int { 1 + repeats + transfers + (isHedged ? 1 : 0) }

  func mayRepeat(_ policy: RetryPolicy) -> Bool { repeats < policy.limit }
}

/// The calls under way, by correlation and by time. Adding and taking are constant time and allocate nothing in the
/// steady state.
///
/// A correlation is 108 random bits and, in its last 20, the call's slot: found without hashing, and not to be guessed.
struct PendingCalls {
  static let capacity = 1 << 20
  private static let slotMask: UInt64 = 1 << 20 - 1

  private var slots: [PendingCall?] = []
  private var free: [Int] = []
  private var timers = TimerWheel(now: MonotonicClock.milliseconds())
  private var random = RandomWords()
  private(set) var count = 0

  /// Adds a call that waits. Its timer is not set.
  mutating func add(
    _ request: OutboundRequest, _ token: CallToken, _ completion: @escaping @Sendable (InboundReply) -> Void
  ) -> Correlation {
    let (slot, correlation) = nextSlot()
    slots[slot] = PendingCall(correlation: correlation, token: token, completion: completion, request: request)
    return correlation
  }

  /// Adds a call that was taken out again, under another correlation.
  mutating func add(again call: PendingCall) -> Correlation {
    let (slot, correlation) = nextSlot()
    var call = call
    call.correlation = correlation
    call.replica = nil
    call.attemptEnds = .max
    call.patience = nil
    call.hedgesAt = .max
    slots[slot] = call
    return correlation
  }

  private mutating func nextSlot() -> (Int, Correlation) {
    let slot: Int
    if let reused = free.popLast() {
      slot = reused
    } else {
      slot = slots.count
      slots.append(nil)
    }
    count += 1
    return (slot, Correlation(high: random.next(), low: random.next() & ~PendingCalls.slotMask | UInt64(slot)))
  }

  /// The call of that correlation; nil once it has ended.
  subscript(correlation: Correlation) -> PendingCall? { slot(of: correlation).flatMap { slots[$0] } }

  /// What is to be sent of a call that waits; nil when it was sent or has ended.
  @inline(__always)
  func unsent(_ correlation: Correlation) -> (OutboundRequest, CallHistory?)? {
    guard let slot = slot(of: correlation), slots[slot]!.replica == nil else { return nil }
    return (slots[slot]!.request, slots[slot]!.history)
  }

  /// Changes a call, and sets its timer anew.
  @inline(__always)
  mutating func update(_ correlation: Correlation, _ change: (inout PendingCall) -> Void) {
    guard let slot = slot(of: correlation) else { return }
    change(&slots[slot]!)
    let next = min(slots[slot]!.deadline, slots[slot]!.attemptEnds, slots[slot]!.hedgesAt)
    timers.set(slot, at: next)
  }

  mutating func take(_ correlation: Correlation) -> PendingCall? {
    slot(of: correlation).flatMap { take(slot: $0) }
  }

  /// Looks at every call; only cancelling needs it.
  func find(_ token: CallToken) -> Correlation? {
    slots.lazy.compactMap { $0 }.first { $0.token == token }?.correlation
  }

  mutating func takeAll() -> [PendingCall] { slots.indices.compactMap { take(slot: $0) } }

  /// Looks at every call.
  func hasSent(on connection: Int) -> Bool {
    slots.contains { $0.map { $0.isSent && $0.connection == connection } ?? false }
  }

  mutating func takeAll(sentOn connection: Int) -> [PendingCall] {
    slots.indices.compactMap {
      guard let call = slots[$0], call.isSent, call.connection == connection else { return nil }
      return take(slot: $0)
    }
  }

  /// Not later than the earliest time that is set, in milliseconds of the monotonic clock.
  var nextTime: Int64? { count == 0 ? nil : timers.next }

  /// The calls whose next time has come. Their timers are off until they are changed.
  mutating func due(_ now: Int64) -> [Correlation] {
    timers.advance(to: now).compactMap { slots[$0]?.correlation }
  }

  private func slot(of correlation: Correlation) -> Int? {
    let slot = Int(correlation.low & PendingCalls.slotMask)
    guard slot < slots.count, slots[slot]?.correlation == correlation else { return nil }
    return slot
  }

  private mutating func take(slot: Int) -> PendingCall? {
    guard let call = slots[slot].take() else { return nil }
    timers.remove(slot)
    free.append(slot)
    count -= 1
    return call
  }
}
