// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import Testing

@testable import AccountService

@Suite("Refresh")
struct RefreshTests {
  static let start = Timestamp(milliseconds: 1_800_000_000_000)

  static func session(spent: Int64 = 3) -> Session {
    var session = Session(
      app: "default", sessionId: "s", accountId: "maya", deviceId: "d", generation: 1, authenticatedAt: start,
      now: start)
    session.refreshCount = spent
    return session
  }

  @Test("spends the good token and prolongs the session")
  func rotates() throws {
    let now = Self.start + 600_000
    guard
      case .rotated(let next) = Refresh.decide(Self.session(), number: 3, spentBy: nil, key: nil, now: now)
    else {
      Issue.record("not rotated")
      return
    }
    #expect(next.refreshCount == 4)
    #expect(next.lastSeenAt == now)
    #expect(next.expiresAt == now + Session.idleLifetimeMs)
    #expect(next.tokenUntil == now + Session.tokenLifetimeMs)
    #expect(next.authenticatedAt == Self.start)
  }

  @Test("ends the session when a spent token comes again", arguments: [0, 1, 2] as [Int64])
  func reuse(number: Int64) {
    #expect(Refresh.decide(Self.session(), number: number, spentBy: nil, key: nil, now: Self.start) == .reused)
    #expect(Refresh.decide(Self.session(), number: number, spentBy: [1], key: [2], now: Self.start) == .reused)
    #expect(Refresh.decide(Self.session(), number: number, spentBy: [1], key: nil, now: Self.start) == .reused)
  }

  @Test("answers a repeat of the call that spent the last token, and of no earlier one")
  func repeats() {
    #expect(Refresh.decide(Self.session(), number: 2, spentBy: [1], key: [1], now: Self.start) == .repeated)
    #expect(Refresh.decide(Self.session(), number: 1, spentBy: [1], key: [1], now: Self.start) == .reused)
  }

  @Test("takes a token of the future for a reuse: the store lost something, or it is forged")
  func future() {
    #expect(Refresh.decide(Self.session(), number: 4, spentBy: nil, key: nil, now: Self.start) == .reused)
  }

  @Test(
    "after a restore takes the first token at or beyond the backup's, and no older one",
    arguments: [
      (2, nil), (3, 4), (4, 5), (9, 10),
    ] as [(Int64, Int64?)])
  func restored(number: Int64, count: Int64?) {
    let refresh = Refresh.decide(
      Self.session(), number: number, spentBy: SessionRows.isForgotten, key: [1], now: Self.start)
    guard let count else {
      #expect(refresh == .reused)
      return
    }
    guard case .rotated(let next) = refresh else {
      Issue.record("not rotated")
      return
    }
    #expect(next.refreshCount == count)
    // Who spends it says so, and from then on the count is known.
    #expect(Refresh.decide(next, number: count + 1, spentBy: [1], key: [2], now: Self.start) == .reused)
    #expect(Refresh.decide(next, number: count - 1, spentBy: [1], key: [2], now: Self.start) == .reused)
  }

  @Test("is refused once the session has ended or expired")
  func over() {
    var ended = Self.session()
    ended.endedAt = Self.start
    #expect(Refresh.decide(ended, number: 3, spentBy: nil, key: nil, now: Self.start) == .ended)
    let session = Self.session()
    #expect(Refresh.decide(session, number: 3, spentBy: nil, key: nil, now: session.expiresAt) == .expired)
    guard
      case .rotated = Refresh.decide(session, number: 3, spentBy: nil, key: nil, now: session.expiresAt + -1)
    else {
      Issue.record("refused a millisecond early")
      return
    }
  }
}
