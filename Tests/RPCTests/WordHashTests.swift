// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RPC

@Suite struct WordHashTests {
  private func hash(_ text: String, after start: UInt64 = 0) -> UInt64 {
    Array(text.utf8).withUnsafeBytes { WordHash.of($0, after: start) }
  }

  @Test func `texts that differ in one byte, their length or their order have hashes of their own`() {
    let texts =
      ["", "a", "aa", "maya", "mayb", "abcdefgh", "abcdefgi", "abcdefgha", "aabcdefgh", "\0", "\0\0", "abcdefgh\0"]
      + (0..<2000).map { "person-\($0)" }
    #expect(Set(texts.map { hash($0) }).count == texts.count)
    #expect(hash("a", after: hash("b")) != hash("b", after: hash("a")))
    #expect(hash("ab", after: hash("c")) != hash("b", after: hash("ca")))
  }

  @Test func `the lowest bits, which places are taken from, are spread`() {
    let places = Set((0..<4096).map { hash("a:\($0)") & 4095 })
    // As many as chance gives: 1 - 1/e of them.
    #expect((2400...2800).contains(places.count))
  }
}
