// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SQLStorePostgreSQL

@Suite struct DialingTests {
  @Test func `one try follows another, the first at once and then later and later`() {
    var dialing = Dialing()
    var now: Int64 = 1_000
    for round in 0..<12 {
      let number = dialing.begin(at: now)
      #expect(number != nil)
      #expect(dialing.begin(at: now) == nil)
      dialing.failed(number!, at: now)
      if round == 0 {
        #expect(dialing.begin(at: now) != nil)
        dialing.failed(2, at: now)
      }
      #expect(dialing.begin(at: now) == nil)
      now += Dialing.longestRest
    }
  }

  @Test func `another is begun beside one that hangs, up to so many`() {
    var dialing = Dialing()
    var now: Int64 = 0
    var begun: [Int] = []
    for _ in 0..<100 {
      if let number = dialing.begin(at: now) { begun.append(number) }
      now += Dialing.patience / 2
    }
    #expect(begun == Array(1...Dialing.most))
    dialing.succeeded(Dialing.most)
    #expect(dialing.begin(at: now) != nil)
  }

  @Test func `those that are refused while an older one hangs come as soon as without it`() {
    var dialing = Dialing()
    #expect(dialing.begin(at: 0) == 1)
    #expect(dialing.begin(at: Dialing.patience) == 2)
    dialing.failed(2, at: Dialing.patience)
    #expect(dialing.begin(at: Dialing.patience) == 3)
    // What becomes of the old one does not say that the newest is over.
    dialing.failed(1, at: Dialing.patience + 1)
    #expect(dialing.begin(at: Dialing.patience + 400) == nil)
    #expect(dialing.begin(at: 2 * Dialing.patience) == 4)
  }

  @Test func `after a success it begins anew`() {
    var dialing = Dialing()
    for now in [0, 0, 1_000, 2_000] as [Int64] { dialing.failed(dialing.begin(at: now)!, at: now) }
    dialing.succeeded(dialing.begin(at: 3_000)!)
    for _ in 0..<2 { dialing.failed(dialing.begin(at: 3_000)!, at: 3_000) }
    #expect(dialing.begin(at: 3_000) == nil)
  }
}
