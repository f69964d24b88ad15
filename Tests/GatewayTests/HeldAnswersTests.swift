// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gateway

@Suite struct HeldAnswersTests {
  private final class Told {
    var numbers: [Int] = []
  }
  private let told = Told()

  private func hold(_ numbers: Range<Int>, in held: HeldAnswers, at now: Int64) {
    for number in numbers { held.hold(at: now) { [told] in told.numbers.append(number) } }
  }

  @Test func `each waits its time, and then a few are told at each look, in order`() {
    let held = HeldAnswers()
    #expect(held.nextTimeout() == nil)
    hold(0..<20, in: held, at: 1_000)
    #expect(held.nextTimeout() != nil)
    held.tellDue(at: 1_000 + HeldAnswers.pause - 1)
    #expect(told.numbers.isEmpty)
    held.tellDue(at: 1_000 + HeldAnswers.pause)
    #expect(told.numbers == Array(0..<8))
    held.tellDue(at: 1_000 + HeldAnswers.pause)
    held.tellDue(at: 1_000 + HeldAnswers.pause)
    #expect(told.numbers == Array(0..<20))
    #expect(held.count == 0 && held.nextTimeout() == nil)
  }

  @Test func `of many more are told, so that none waits long`() {
    let held = HeldAnswers()
    hold(0..<6_400, in: held, at: 0)
    held.tellDue(at: 1_000)
    #expect(told.numbers.count == 50)
    var looks = 1
    while held.count > 0 {
      held.tellDue(at: 1_000)
      looks += 1
    }
    #expect(looks < 800)
    #expect(told.numbers == Array(0..<6_400))
  }

  @Test func `one more than may wait lets the first go`() {
    let held = HeldAnswers(capacity: 3)
    hold(0..<5, in: held, at: 0)
    #expect(told.numbers == [0, 1] && held.count == 3)
  }

  @Test func `at the end all are told, and nobody waits any more`() {
    let held = HeldAnswers()
    hold(0..<100, in: held, at: 0)
    held.close()
    #expect(told.numbers == Array(0..<100))
    hold(100..<101, in: held, at: 0)
    #expect(told.numbers.last == 100)
  }
}
