// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import JSONRPC
import Testing

@testable import Gateway

@Suite struct UsageTests {
  private static let second: UInt64 = 1_000_000_000

  @Test func `calls come at once up to the burst, then at the rate`() {
    let usage = Usage(Usage.Limits(perSecond: 10, burst: 3))
    let start = 100 * Self.second
    for _ in 0..<3 { #expect(usage.enter(at: start) == nil) }
    #expect(usage.enter(at: start) == .rate(wait: 100))
    #expect(usage.enter(at: start + 40_000_000) == .rate(wait: 60))
    #expect(usage.enter(at: start + 100_000_000) == nil)
    #expect(usage.enter(at: start + 100_000_000) == .rate(wait: 100))
    // After a rest the burst is there again.
    for _ in 0..<3 { #expect(usage.enter(at: start + 10 * Self.second) == nil) }
    #expect(usage.enter(at: start + 10 * Self.second) != nil)
  }

  @Test func `a refused call costs nothing`() {
    let usage = Usage(Usage.Limits(perSecond: 1, burst: 1))
    #expect(usage.enter(at: Self.second) == nil)
    for _ in 0..<100 { #expect(usage.enter(at: Self.second) == .rate(wait: 1_000)) }
    #expect(usage.enter(at: 2 * Self.second) == nil)
  }

  @Test func `so many run, and one more when one has ended`() {
    let usage = Usage(Usage.Limits(inFlight: 2))
    #expect(usage.enter(at: 0) == nil && usage.enter(at: 0) == nil)
    #expect(usage.enter(at: 0) == .inFlight(limit: 2))
    usage.leave()
    #expect(usage.enter(at: 0) == nil)
  }

  @Test func `refusals are told at once up to a thousand, then two hundred a second`() {
    let usage = Usage(Usage.Limits())
    let start = 100 * Self.second
    #expect((0..<1_000).allSatisfy { _ in !usage.holdsBack(1, at: start) })
    #expect(usage.holdsBack(1, at: start))
    #expect(!usage.holdsBack(1, at: start + Self.second / 200))
    #expect(usage.holdsBack(1, at: start + Self.second / 200))
    // A batch of them counts as so many.
    #expect(!usage.holdsBack(100, at: start + 2 * Self.second / 200))
    #expect(usage.holdsBack(1, at: start + 100 * Self.second / 200))
    #expect(!usage.holdsBack(1, at: start + 102 * Self.second / 200))
  }

  @Test func `no limit is no limit`() {
    let usage = Usage(Usage.Limits())
    for _ in 0..<10_000 { #expect(usage.enter(at: 0) == nil) }
  }

  @Test func `each has its own, and the longest silent are forgotten`() {
    let usages = Usages(Usage.Limits(inFlight: 1), capacity: 4)
    let first = usages.usage(of: "first")
    #expect(usages.usage(of: "first") === first)
    for name in ["a", "b", "first", "c", "d", "first"] { _ = usages.usage(of: name) }
    #expect(usages.usage(of: "first") === first)
    for number in 0..<10 { _ = usages.usage(of: "\(number)") }
    #expect(usages.usage(of: "first") !== first)
  }
}
