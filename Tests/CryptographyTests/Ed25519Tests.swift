// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Testing

/// RFC 8032, section 7.1.
@Suite struct Ed25519Tests {
  static let vectors: [(seed: String, publicKey: String, message: String, signature: String)] = [
    (
      "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
    ),
    (
      "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
      "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    ),
    (
      "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
      "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
      "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
    ),
  ]

  @Test(arguments: vectors)
  func signsAndChecksThePublishedMessages(seed: String, publicKey: String, message: String, signature: String) throws {
    let key = try Ed25519.SigningKey(seed: #require(Hex.decode(seed)))
    let message = try #require(Hex.decode(message))
    #expect(Hex.encode(key.publicKey.bytes) == publicKey)
    #expect(Hex.encode(key.sign(message)) == signature)
    let published = try Ed25519.PublicKey(bytes: #require(Hex.decode(publicKey)))
    #expect(published.isValid(try #require(Hex.decode(signature)), for: message))
  }

  @Test func refusesEverySingleChangedBit() throws {
    let (key, _) = Ed25519.SigningKey.generate()
    let message = Array("message".utf8)
    let signature = key.sign(message)
    for bit in 0..<signature.count * 8 {
      var changed = signature
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(!key.publicKey.isValid(changed, for: message))
    }
    #expect(!key.publicKey.isValid(Array(signature.dropLast()), for: message))
    #expect(!key.publicKey.isValid(signature + [0], for: message))
    #expect(!key.publicKey.isValid(signature, for: message + [0]))
  }

  /// S + L verifies as well as S under a lenient check: RFC 8032, section 5.1.7, wants S below the group's order.
  @Test func refusesTheSecondSpellingOfASignature() {
    let order: [UInt8] = [
      0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ]
    let (key, _) = Ed25519.SigningKey.generate()
    var signature = key.sign([1])
    var carry = 0
    for index in 0..<32 {
      let sum = Int(signature[32 + index]) + Int(order[index]) + carry
      signature[32 + index] = UInt8(sum & 255)
      carry = sum >> 8
    }
    #expect(!key.publicKey.isValid(signature, for: [1]))
  }

  /// The neutral element as public key would accept a fixed signature over anything.
  @Test func refusesAPublicKeyOfSmallOrder() throws {
    let neutral = try Ed25519.PublicKey(bytes: [1] + Array(repeating: 0, count: 31))
    let signature = [1] + [UInt8](repeating: 0, count: 63)
    #expect(!neutral.isValid(signature, for: [1, 2, 3]))
  }

  @Test(arguments: [0, 31, 33, 64])
  func refusesKeysOfAnotherLength(count: Int) {
    let bytes = [UInt8](repeating: 1, count: count)
    #expect(throws: CryptographyError.self) { try Ed25519.SigningKey(seed: bytes) }
    #expect(throws: CryptographyError.self) { try Ed25519.PublicKey(bytes: bytes) }
  }

  @Test func aGeneratedSeedMakesTheSameKeyAgain() throws {
    let (key, seed) = Ed25519.SigningKey.generate()
    #expect(try Ed25519.SigningKey(seed: seed).publicKey == key.publicKey)
  }
}
