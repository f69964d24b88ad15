// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import JSONRPC

/// What an entry holds beside its leaf: sealed under the subject's key, and gone with it.
struct SealedPart: Codable, Sendable, Hashable {
  /// A key that acted for the app, apart from the personal part.
  struct Actor: Codable, Sendable, Hashable {
    /// `key:<name>`.
    var name: String
    /// 32 bytes, hexadecimal.
    var salt: String
  }

  /// 32 bytes, hexadecimal.
  var salt: String
  /// What `commitment` commits to, canonical: accountId or deviceId or topic, actor or actorHash, appVersion, osVersion
  /// and the like.
  var personal: RawJSON
  var actor: Actor?

  /// - Parameters:
  ///   - salt: 32 random bytes.
  ///   - random: gives that many random bytes.
  init(personal members: PersonalMembers, salt: [UInt8], random: (Int) -> [UInt8]) throws {
    self.salt = Hex.encode(salt)
    if let name = members.actor, Self.namesKey(name) {
      let actorSalt = random(32)
      let hash = EntryFormat.actorHash(salt: actorSalt, actor: name)
      personal = try members.canonical(actorHash: Hex.encode(hash))
      actor = Actor(name: name, salt: Hex.encode(actorSalt))
    } else {
      personal = try members.canonical()
    }
  }

  /// The personal part's members.
  func members() throws -> [String: JSONValue] { try JSON.decode([String: JSONValue].self, from: personal.bytes) }

  /// Whether it is one of the app's keys that acted, and not the person, the device or a service.
  static func namesKey(_ actor: String) -> Bool { actor.hasPrefix("key:") }
}

extension SealedPart: JSONObjectEncodable {
  func encode(into object: JSONObject) {
    object.put("salt", salt)
    object.put("personal", personal)
    if let actor { object.put("actor", actor) }
  }
}

extension SealedPart.Actor: JSONObjectEncodable {
  func encode(into object: JSONObject) {
    object.put("name", name)
    object.put("salt", salt)
  }
}
