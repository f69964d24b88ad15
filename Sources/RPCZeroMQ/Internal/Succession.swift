// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import RPC
internal import ZeroMQ

/// A client's way from one connection to the next when keys have changed: `next` is tried beside the connection in use;
/// those it has replaced stay until their calls have ended.
struct Succession {
  var next: ClientConnection?
  var leaving: [ClientConnection] = []
  /// When to try again, in monotonic milliseconds.
  private var triesAt: Int64 = 0
  private var refusals = 0

  /// Between tries, in milliseconds: while old and new keys are served through one port, the kernel may lead a connection
  /// to the socket of the other; a server that has its new keys later is tried less often.
  private static let shortPause: Int64 = 50
  private static let longPause: Int64 = 2_000
  private static let shortTries = 10
  /// Between looks at connections that are leaving, in milliseconds.
  private static let lookInterval: Int64 = 20

  /// Whether the server does not take the newer keys, at least not now.
  var isStuck: Bool { refusals >= Succession.shortTries }
  var isIdle: Bool { next == nil && leaving.isEmpty }
  var isDue: Bool { next == nil && MonotonicClock.milliseconds() >= triesAt }
  var pollItems: [PollItem] { (next?.pollItems ?? []) + leaving.flatMap { $0.pollItems } }

  /// When to look again; nil: no need.
  var dueAt: Int64? {
    if !leaving.isEmpty { return MonotonicClock.milliseconds() + Succession.lookInterval }
    return next == nil && triesAt > 0 ? max(triesAt, MonotonicClock.milliseconds() + 1) : nil
  }

  mutating func keysChanged() {
    refusals = 0
    triesAt = 0
  }

  /// The next connection, once it is ready.
  mutating func takeReady() -> ClientConnection? {
    next?.readEvents()
    guard let ready = next, ready.isReady else { return nil }
    next = nil
    keysChanged()
    return ready
  }

  /// - Returns: whether the next connection was refused, and is closed.
  mutating func dropRefused() -> Bool {
    guard let refused = next, refused.isRefused else { return false }
    refused.close()
    next = nil
    refusals += 1
    triesAt =
      MonotonicClock.milliseconds() + (refusals < Succession.shortTries ? Succession.shortPause : Succession.longPause)
    return true
  }

  mutating func close() {
    next?.close()
    for old in leaving { old.close() }
    self = Succession()
  }
}
