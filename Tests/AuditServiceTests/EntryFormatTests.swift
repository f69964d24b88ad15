// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Events
import JSONRPC
import Testing

@testable import AuditService

/// The values were computed with Python's json and hashlib.
struct EntryFormatTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var record: AuditRecord
    var commitment: String
    var leaf: String
    var leafHash: String
  }

  static let vectors = [
    Vector(
      testDescription: "a person's decision",
      record: AuditRecord(
        entryId: "01abc", kind: "consent.granted", timestamp: Timestamp("2026-01-02T03:04:05.678Z")!,
        facts: [
          "category": "analytics", "status": "granted", "regulation": "gdpr", "policyVersion": 2, "method": "save",
          "ratio": .number(0.5),
        ],
        personal: [
          "accountId": "u-1", "actor": "person", "appVersion": "2.1.0", "note": "Zoë \"q\"\n\u{1}/\\ €",
        ]),
      commitment: "ca6ca7db5f4d576685dc63d3863c219c9caa63c29efd28a0f462ffa8c07fcf1c",
      leaf: #"""
        {"app":"default","commitment":"ca6ca7db5f4d576685dc63d3863c219c9caa63c29efd28a0f462ffa8c07fcf1c",\#
        "entryId":"01abc","facts":{"category":"analytics","method":"save","policyVersion":2,"ratio":"0.5",\#
        "regulation":"gdpr","status":"granted"},"kind":"consent.granted",\#
        "logId":"000102030405060708090a0b0c0d0e0f","source":"consent-service",\#
        "subject":"f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff","timestamp":"2026-01-02T03:04:05.678Z","v":1}
        """#,
      leafHash: "fef201b37f414df3ceb450c75cd3145b42b3c59c1fe9baa39ba86a8d7c22f28e"),
    Vector(
      testDescription: "a key's act, its name apart",
      record: AuditRecord(
        entryId: "01abd", kind: "account.renamed", timestamp: Timestamp("2026-01-02T03:04:05.678Z")!, facts: [:],
        personal: ["accountId": "u-1", "actor": "key:support-désirée"]),
      commitment: "4e7db672508d89d4d470811675524d5b793b2ea568277fc8041d98cd57825abb",
      leaf: #"""
        {"app":"default","commitment":"4e7db672508d89d4d470811675524d5b793b2ea568277fc8041d98cd57825abb",\#
        "entryId":"01abd","facts":{},"kind":"account.renamed",\#
        "logId":"000102030405060708090a0b0c0d0e0f","source":"consent-service",\#
        "subject":"f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff","timestamp":"2026-01-02T03:04:05.678Z","v":1}
        """#,
      leafHash: "d3b007e40548dc50b99d067c55d46dd5ed0dc57d04833e5fa85efd75e65f0c21"),
  ]

  static let maya = SubjectName(app: "default", id: "a:maya", generation: 1)
  static let salt = [UInt8](0..<32)
  static let actorSalt = [UInt8](32..<64)

  @Test(arguments: vectors)
  func `leaf, hash and commitment are those computed elsewhere`(_ vector: Vector) throws {
    let part = try SealedPart(personal: PersonalMembers(vector.record.personal), salt: Self.salt) { _ in Self.actorSalt
    }
    #expect(Hex.encode(EntryFormat.commitment(salt: Self.salt, personal: part.personal)) == vector.commitment)
    let leaf = EntryFormat.Leaf(
      app: "default", commitment: vector.commitment, entryId: vector.record.entryId,
      facts: try EntryFormat.canonical(vector.record.facts), kind: vector.record.kind,
      logId: "000102030405060708090a0b0c0d0e0f", source: "consent-service",
      subject: "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff", timestamp: vector.record.timestamp)
    let bytes = try leaf.bytes
    #expect(String(decoding: bytes, as: UTF8.self) == vector.leaf)
    #expect(Hex.encode(EntryFormat.leafHash(bytes)) == vector.leafHash)
  }

  @Test
  func `plain encoding of a leaf is canonical, whatever it holds`() throws {
    let awkward = "é\u{1F600}\u{FFFF}\"\\/\u{8}\n\u{1f}\u{7f}"
    let leaf = EntryFormat.Leaf(
      app: awkward, commitment: "", entryId: awkward,
      facts: try EntryFormat.canonical([awkward: .string(awkward), "\u{E000}": 1, "\u{1F600}": 2, "z": [:], "a": []]),
      kind: awkward, logId: "", source: awkward, subject: "", timestamp: Timestamp(milliseconds: 0))
    let bytes = try leaf.bytes
    #expect(try bytes == JSON.canonical(leaf))
    // By UTF-16 code units, the emoji's surrogates come before U+E000.
    let names = String(decoding: leaf.facts.bytes, as: UTF8.self)
    #expect(names.hasSuffix("\u{1F600}\":2,\"\u{E000}\":1}"))
  }

  @Test
  func `a key's name is committed to by its hash alone`() throws {
    let part = try SealedPart(personal: PersonalMembers(["actor": "key:support-désirée"]), salt: Self.salt) { _ in
      Self.actorSalt
    }
    let hash = "15958495302b008eb55bdbaeb382299878b7417705fcd6900e68bc1b71812ce5"
    #expect(try part.members() == ["actorHash": .string(hash)])
    let actor = try #require(part.actor)
    #expect(actor.name == "key:support-désirée")
    let salt = try #require(Hex.decode(actor.salt))
    #expect(Hex.encode(EntryFormat.actorHash(salt: salt, actor: actor.name)) == hash)
  }

  @Test
  func `numbers that canonical JSON cannot hold become text`() throws {
    let facts: [String: JSONValue] = [
      "half": .number(0.5), "whole": .number(3), "largest": .integer(1 << 53 - 1), "larger": .integer(1 << 53),
      "list": [.number(1e300), nil, true], "least": .integer(.min),
    ]
    let bytes = try EntryFormat.canonical(facts).bytes
    #expect(
      String(decoding: bytes, as: UTF8.self) == """
        {"half":"0.5","larger":"9007199254740992","largest":9007199254740991,"least":"-9223372036854775808",\
        "list":["1e+300",null,true],"whole":3}
        """)
  }

  @Test
  func `a sealed part opens with its own key and at its own place only`() throws {
    let key = try AuditKey(Array(repeating: 1, count: 32))
    let own = try SubjectKey.candidate(Self.maya, key)
    let other = try SubjectKey.candidate(Self.maya, key)
    let part = try SealedPart(
      personal: PersonalMembers(["accountId": "u-1"]), salt: Random.bytes(32), random: Random.bytes)
    let sealed = try #require(own.box).seal(
      try JSON.encode(part), associatedData: SealedPart.place(app: "default", entryId: "e1"))
    #expect(try SealedPart.open(sealed, with: own.box!, app: "default", entryId: "e1") == part)
    #expect(throws: CryptographyError.self) {
      try SealedPart.open(sealed, with: other.box!, app: "default", entryId: "e1")
    }
    #expect(throws: CryptographyError.self) {
      try SealedPart.open(sealed, with: own.box!, app: "default", entryId: "e2")
    }
    #expect(throws: CryptographyError.self) { try SealedPart.open(sealed, with: own.box!, app: "other", entryId: "e1") }
  }

  @Test
  func `a subject's key is wrapped for one key, app and subject`() throws {
    let key = try AuditKey(Array(repeating: 1, count: 32))
    let subject = try SubjectKey.candidate(Self.maya, key)
    let wrapped = try #require(subject.wrapped)
    _ = try key.unwrap(wrapped, app: "default", subject: subject.subject)
    let stranger = try AuditKey(Array(repeating: 2, count: 32))
    #expect(throws: CryptographyError.self) {
      try stranger.unwrap(wrapped, app: "default", subject: subject.subject)
    }
    #expect(throws: CryptographyError.self) { try key.unwrap(wrapped, app: "other", subject: subject.subject) }
    #expect(throws: CryptographyError.self) {
      try key.unwrap(wrapped, app: "default", subject: Array(repeating: 0, count: 16))
    }
    #expect(key.reference(app: "a", subject: "a:u") != stranger.reference(app: "a", subject: "a:u"))
    #expect(key.reference(app: "a", subject: "a:u") != key.reference(app: "b", subject: "a:u"))
  }
}
