// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Events
import Testing

@testable import AuditService

@Suite struct HeldBackTests {
  private static let late = HeldBack.patienceMilliseconds

  @Test func theFirstOfAStreamThatWaitsIsOverdueAfterAWhile() {
    let held = HeldBack()
    held.note(.of("a:u", 4), .gap, now: 0)
    held.note(.of("a:u", 3), .gap, now: 100)
    held.note(.of("a:w", 9), .gap, now: 5_000)
    #expect(!held.isOverdue(.of("a:u", 3), now: Self.late - 1))
    #expect(held.isOverdue(.of("a:u", 3), now: Self.late))
    #expect(!held.isOverdue(.of("a:u", 4), now: Self.late))
    #expect(!held.isOverdue(.of("a:w", 9), now: Self.late))
    #expect(held.count(now: Self.late) == 1)
    #expect(held.count(now: 5_000 + Self.late) == 2)
  }

  @Test func whatIsTakenWaitsNoMore() {
    let held = HeldBack()
    held.note(.of("a:u", 3), .gap, now: 0)
    held.note(.of("a:u", 1), .duplicate, now: 1)
    #expect(held.count(now: Self.late) == 1)
    held.note(.of("a:u", 2), .applied, now: 2)
    #expect(held.count(now: Self.late) == 0)
    #expect(!held.isOverdue(.of("a:u", 3), now: Self.late))
    // It counts anew.
    held.note(.of("a:u", 4), .gap, now: 100)
    #expect(!held.isOverdue(.of("a:u", 4), now: Self.late + 99))
    #expect(held.isOverdue(.of("a:u", 4), now: Self.late + 100))
  }
}
