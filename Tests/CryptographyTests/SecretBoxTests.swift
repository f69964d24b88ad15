// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Cryptography

@Suite struct SecretBoxTests {
  /// draft-irtf-cfrg-xchacha-03, appendix A.3.1.
  @Test func sealsThePublishedMessage() throws {
    let box = try SecretBox(key: Array(0x80...0x9f)).seal(
      Array(
        "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
          .utf8), associatedData: #require(Hex.decode("50515253c0c1c2c3c4c5c6c7")), nonce: Array(0x40...0x57))
    #expect(
      Hex.encode(box.dropFirst(24))
        == "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39"
        + "ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9"
        + "21f9664c97637da9768812f615c68b13b52ec0875924c1c7987947deafd8780acf49")
  }

  @Test(arguments: [0, 1, 16, 1000])
  func opensWhatItSealed(count: Int) throws {
    let box = try SecretBox(key: Random.bytes(32))
    let contents = Random.bytes(count)
    let sealed = box.seal(contents, associatedData: [7])
    #expect(sealed.count == count + SecretBox.overhead)
    #expect(try box.open(sealed, associatedData: [7]) == contents)
    #expect(box.seal(contents, associatedData: [7]) != sealed)
  }

  @Test func refusesWhatWasChangedMovedOrCutShort() throws {
    let box = try SecretBox(key: Random.bytes(32))
    let sealed = box.seal([1, 2, 3], associatedData: [7])
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(throws: CryptographyError.corrupt) { try box.open(changed, associatedData: [7]) }
    }
    for count in 0..<sealed.count {
      #expect(throws: CryptographyError.corrupt) { try box.open(Array(sealed.prefix(count)), associatedData: [7]) }
    }
    #expect(throws: CryptographyError.corrupt) { try box.open(sealed, associatedData: [8]) }
    #expect(throws: CryptographyError.corrupt) { try box.open(sealed) }
    let other = try SecretBox(key: Random.bytes(32))
    #expect(throws: CryptographyError.corrupt) { try other.open(sealed, associatedData: [7]) }
  }

  @Test(arguments: [0, 31, 33])
  func refusesKeysOfAnotherLength(count: Int) {
    #expect(throws: CryptographyError.self) { try SecretBox(key: [UInt8](repeating: 1, count: count)) }
  }
}
