// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Events
import Testing

@Suite struct SubjectTests {
  @Test func namesWhatItIs() {
    #expect(Subject.account("app", "a:b").id == "a:a:b")
    #expect(Subject.account("app", "a:b").accountId == "a:b")
    #expect(Subject.account("app", "x").deviceId == nil)
    #expect(Subject.device("app", "x").deviceId == "x")
    #expect(Subject.topic("app", "policy").topic == "policy")
    #expect(Subject.topic("app", "policy").accountId == nil)
  }

  @Test func isOrderedByAppThenId() {
    let sorted = [Subject.device("b", "1"), .device("a", "2"), .account("b", "9"), .account("a", "3")].sorted()
    #expect(sorted.map { $0.app + $0.id } == ["aa:3", "ad:2", "ba:9", "bd:1"])
  }
}
