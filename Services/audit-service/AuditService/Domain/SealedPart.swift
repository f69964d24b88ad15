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
  /// What `commitment` commits to: accountId or deviceId or topic, actor or actorHash, appVersion, osVersion and the like.
  var personal: [String: JSONValue]
  var actor: Actor?

  /// - Parameters:
  ///   - personal: the record's personal members, `actor` among them.
  ///   - random: gives that many unpredictable bytes.
  init(personal record: [String: JSONValue], random: (Int) -> [UInt8]) {
    salt = Hex.encode(random(32))
    personal = record.mapValues(EntryFormat.canonicalizable)
    guard let name = record["actor"]?.stringValue, Self.namesKey(name) else { return }
    let actorSalt = random(32)
    personal["actor"] = nil
    personal["actorHash"] = .string(Hex.encode(EntryFormat.actorHash(salt: actorSalt, actor: name)))
    actor = Actor(name: name, salt: Hex.encode(actorSalt))
  }

  var commitment: [UInt8] {
    get throws { try EntryFormat.commitment(salt: Hex.decode(salt) ?? [], personal: personal) }
  }

  /// Who acted, as a key may know it.
  var actorName: String { actor?.name ?? personal["actor"]?.stringValue ?? "unknown" }

  /// Whether it is one of the app's keys that acted, and not the person, the device or a service.
  static func namesKey(_ actor: String) -> Bool { actor.hasPrefix("key:") }
}
