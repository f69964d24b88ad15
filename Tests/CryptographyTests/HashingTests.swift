// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import CSodium
import Cryptography
import Testing

/// FIPS 180-4's examples, as published with it, and the empty message.
@Suite struct SHA256Tests {
  static let vectors: [(message: String, digest: String)] = [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
    ),
    (String(repeating: "a", count: 1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
  ]

  @Test(arguments: vectors)
  func hashesThePublishedMessages(message: String, digest: String) {
    #expect(Hex.encode(SHA256.hash(message)) == digest)
    #expect(Array(message.utf8).withUnsafeBytes { Hex.encode(SHA256.hash($0)) } == digest)
  }

  @Test(arguments: [1, 63, 64, 65, 999])
  func piecesHashLikeTheWhole(size: Int) {
    let message = (0..<5000).map { UInt8(truncatingIfNeeded: $0) }
    var hash = SHA256()
    var rest = message[...]
    while !rest.isEmpty {
      hash.update(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    #expect(hash.finalize() == SHA256.hash(message))
    hash.update([1])
    #expect(hash.finalize() == SHA256.hash(message + [1]))
  }
}

/// The processor's instructions and libsodium's portable code give the same.
@Suite struct SHA256ImplementationTests {
  @Test func everyLengthHashesAsLibsodiumHashesIt() {
    let message = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }
    for count in 0...message.count {
      var expected = [UInt8](repeating: 0, count: 32)
      crypto_hash_sha256(&expected, message, UInt64(count))
      #expect(SHA256.hash(Array(message.prefix(count))) == expected)
    }
  }
}

/// RFC 4231, section 4.
@Suite struct HMACSHA256Tests {
  static let vectors: [(key: [UInt8], message: [UInt8], code: String)] = [
    (
      Array(repeating: 0x0b, count: 20), Array("Hi There".utf8),
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      Array(repeating: 0xaa, count: 20), Array(repeating: 0xdd, count: 50),
      "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
    ),
    (
      Array(repeating: 0xaa, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
  ]

  @Test(arguments: vectors)
  func authenticatesThePublishedMessages(key: [UInt8], message: [UInt8], code: String) {
    #expect(Hex.encode(HMACSHA256.authenticate(message, key: key)) == code)
  }

  @Test func refusesAnotherMessageAndAShorterCode() {
    let key = HMACSHA256(key: Random.bytes(32))
    let code = key.authenticate([1, 2, 3])
    #expect(key.isValid(code, for: [1, 2, 3]))
    #expect(!key.isValid(code, for: [1, 2, 4]))
    #expect(!key.isValid(Array(code.dropLast()), for: [1, 2, 3]))
    #expect(!key.isValid([], for: [1, 2, 3]))
  }

  @Test func acceptsAnEmptyKey() {
    #expect(HMACSHA256(key: []).authenticate([]).count == 32)
  }
}
