// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Cryptography

@Suite struct EncodingTests {
  /// RFC 4648, section 10, without padding.
  static let base64: [(bytes: [UInt8], text: String)] = [
    ([], ""), (Array("f".utf8), "Zg"), (Array("fo".utf8), "Zm8"), (Array("foo".utf8), "Zm9v"),
    (Array("foob".utf8), "Zm9vYg"), (Array("fooba".utf8), "Zm9vYmE"), (Array("foobar".utf8), "Zm9vYmFy"),
    ([0xfb, 0xff, 0xbf], "-_-_"),
  ]

  @Test(arguments: base64)
  func base64URLSpellsThePublishedBytes(bytes: [UInt8], text: String) {
    #expect(Base64URL.encode(bytes) == text)
    #expect(Base64URL.decode(text) == bytes)
  }

  @Test(arguments: ["Zg==", "Zm8=", "Z", "Zh", "Zm9", "Zm9vY", "+/+/", "Zm 9v", "Zm9v\n", "é"])
  func base64URLHasOneSpelling(text: String) {
    #expect(Base64URL.decode(text) == nil)
  }

  @Test(arguments: [([], ""), ([0, 1, 0xab, 0xff], "0001abff")] as [([UInt8], String)])
  func hexadecimalRoundTrips(bytes: [UInt8], text: String) {
    #expect(Hex.encode(bytes) == text)
    #expect(Hex.decode(text) == bytes)
    #expect(Hex.decode(text.uppercased()) == bytes)
  }

  @Test(arguments: ["0", "0g", "0x", "abc", " 1"])
  func hexadecimalRefusesOtherText(text: String) {
    #expect(Hex.decode(text) == nil)
  }
}

@Suite struct IdentifierTests {
  /// The spelling of 128 bits in 26 characters, worked out by hand for the ends.
  @Test(arguments: [
    (0, 0, "00000000000000000000000000"), (0, 255, "0000000000zzzzzzzzzzzzzzzz"),
    (281_474_976_710_655, 255, "7zzzzzzzzzzzzzzzzzzzzzzzzz"), (1, 0, "00000000010000000000000000"),
  ])
  func spellsTimeThenRandomBits(milliseconds: Int64, fill: UInt8, text: String) {
    let random = [UInt8](repeating: fill, count: 10)
    #expect(random.withUnsafeBufferPointer { Identifier.spell(milliseconds: milliseconds, random: $0) } == text)
  }

  @Test func sortsByTime() {
    let ids = stride(from: Int64(1_700_000_000_000), to: 1_900_000_000_000, by: 999_999_937).map {
      Identifier.next(milliseconds: $0)
    }
    #expect(ids == ids.sorted())
  }

  @Test func neverRepeats() {
    #expect(Set((0..<10_000).map { _ in Identifier.next(milliseconds: 5) }).count == 10_000)
  }
}

@Suite struct RandomTests {
  @Test(arguments: [0, 1, 32, 1000])
  func drawsAsManyBytesAsAsked(count: Int) {
    #expect(Random.bytes(count).count == count)
  }

  @Test func secretsAre43CharactersAndDiffer() {
    #expect(Random.secret().utf8.count == 43)
    #expect(Random.secret() != Random.secret())
  }
}

@Suite struct ConstantTimeTests {
  @Test func comparesContentsAndLength() {
    #expect(ConstantTime.equal([], []))
    #expect(ConstantTime.equal([1, 2], [1, 2]))
    #expect(!ConstantTime.equal([1, 2], [1, 3]))
    #expect(!ConstantTime.equal([1, 2], [1, 2, 3]))
  }
}
