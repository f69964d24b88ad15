// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPC

/// One call under way.
struct PendingCall {
  let correlation: Correlation
  let token: CallToken
  let completion: @Sendable (InboundReply) -> Void
  /// Until it is sent.
  var request: OutboundRequest?
  /// The number of the connection it was sent on.
  var connection = 0

  var isSent: Bool { request == nil }
  var mayHaveRun: RPCError.Processed { isSent ? .unknown : .no }
}

/// The calls under way, by correlation and by deadline. Adding and taking are constant time and allocate nothing in the
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

  mutating func add(
    _ request: OutboundRequest, _ token: CallToken, _ completion: @escaping @Sendable (InboundReply) -> Void
  ) -> Correlation {
    let slot: Int
    if let reused = free.popLast() {
      slot = reused
    } else {
      slot = slots.count
      slots.append(nil)
    }
    let correlation = Correlation(
      high: random.next(), low: random.next() & ~PendingCalls.slotMask | UInt64(slot))
    slots[slot] = PendingCall(correlation: correlation, token: token, completion: completion, request: request)
    timers.set(slot, at: Int64((request.deadline.uptimeNanoseconds + 999_999) / 1_000_000))
    count += 1
    return correlation
  }

  /// What is still to be sent for a call; nil when it was sent or has ended.
  func request(of correlation: Correlation) -> OutboundRequest? {
    slot(of: correlation).flatMap { slots[$0]?.request }
  }

  /// - Parameter connection: the number of the one it was sent on.
  mutating func markSent(_ correlation: Correlation, on connection: Int) {
    guard let slot = slot(of: correlation) else { return }
    slots[slot]?.request = nil
    slots[slot]?.connection = connection
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

  mutating func takeAllSent(on connection: Int) -> [PendingCall] {
    slots.indices.compactMap {
      guard let call = slots[$0], call.isSent, call.connection == connection else { return nil }
      return take(slot: $0)
    }
  }

  /// Not later than the earliest deadline, in milliseconds of the monotonic clock.
  var nextDeadline: Int64? { count == 0 ? nil : timers.next }

  mutating func takeExpired(_ now: Int64) -> [PendingCall] {
    timers.advance(to: now).compactMap { take(slot: $0) }
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
