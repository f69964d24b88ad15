// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Testing

@Suite struct SignedTextTests {
  let key = Ed25519.SigningKey.generate().key

  @Test func carriesItsPayloadAndSignature() throws {
    let text = SignedText.sign([1, 2, 3], prefix: "at1", with: key)
    let signed = try #require(SignedText(text, prefix: "at1"))
    #expect(signed.payload == [1, 2, 3])
    #expect(signed.isSigned(by: key.publicKey))
    #expect(!signed.isSigned(by: Ed25519.SigningKey.generate().key.publicKey))
  }

  @Test func isNotBelievedAfterAChangeOfAnyCharacter() {
    let text = SignedText.sign(Array("{\"sub\":\"maya\"}".utf8), prefix: "at1", with: key)
    for index in text.indices {
      for replacement in ["A", "B", "-", "=", ".", " "] where String(text[index]) != replacement {
        let changed = text.replacingCharacter(at: index, by: replacement)
        #expect(SignedText(changed, prefix: "at1")?.isSigned(by: key.publicKey) != true)
      }
    }
  }

  @Test func isNotBelievedCutShortOrProlonged() {
    let text = SignedText.sign([1, 2, 3], prefix: "at1", with: key)
    for count in 0..<text.utf8.count {
      #expect(SignedText(String(text.prefix(count)), prefix: "at1")?.isSigned(by: key.publicKey) != true)
    }
    for tail in ["A", ".", ".AA", " ", "="] {
      #expect(SignedText(text + tail, prefix: "at1")?.isSigned(by: key.publicKey) != true)
    }
  }

  @Test func isGoodForItsPurposeOnly() {
    let text = SignedText.sign([1, 2, 3], prefix: "at1", with: key)
    #expect(SignedText(text, prefix: "at2") == nil)
    let moved = "at2" + text.dropFirst(3)
    #expect(SignedText(moved, prefix: "at2")?.isSigned(by: key.publicKey) == false)
  }

  /// What a JSON Web Token library would be talked into: an algorithm named by the text itself.
  @Test(arguments: ["eyJhbGciOiJub25lIn0.e30.", "eyJhbGciOiJIUzI1NiJ9.e30.AA", "at1..", "at1.e30.", "at1.e30"])
  func refusesOtherForms(text: String) {
    #expect(SignedText(text, prefix: "at1") == nil)
  }
}

extension String {
  fileprivate func replacingCharacter(at index: Index, by text: String) -> String {
    self[..<index] + text + self[self.index(after: index)...]
  }
}
