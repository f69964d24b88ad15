// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC

/// What a record says of a person, canonical but for who acted: what of that is committed to is known later.
struct PersonalMembers: Sendable {
  /// Who acted, where that is text.
  let actor: String?
  /// The members on either side of who acted, without brackets.
  private let before: [UInt8]
  private let after: [UInt8]

  /// Nil where others stand where who acted, or its hash, will.
  init?(_ members: PlainMembers) {
    actor = members.string("actor")
    guard members.count(from: "actor", through: "actorHash") == (actor == nil ? 0 : 1) else { return nil }
    before = members.canonical(before: "actor")
    after = members.canonical(after: "actorHash")
  }

  init(_ members: [String: JSONValue]) throws {
    var members = members
    actor = members["actor"]?.stringValue
    var place = "actor"
    if let actor {
      members["actor"] = nil
      if SealedPart.namesKey(actor) { place = "actorHash" }
    }
    if place == "actorHash" { members[place] = nil }
    let isAfter = { (name: String) in place.utf16.lexicographicallyPrecedes(name.utf16) }
    before = try Self.inside(members.filter { !isAfter($0.key) })
    after = try Self.inside(members.filter { isAfter($0.key) })
  }

  private static func inside(_ members: [String: JSONValue]) throws -> [UInt8] {
    try Array(EntryFormat.canonical(members).bytes.dropFirst().dropLast())
  }

  func adding(_ name: String, _ value: String) throws -> PersonalMembers {
    var members = try JSON.decode([String: JSONValue].self, from: canonical().bytes)
    members[name] = .string(value)
    return try PersonalMembers(members)
  }

  /// The personal part.
  /// - Parameter hash: stands for who acted.
  func canonical(actorHash hash: String? = nil) throws -> RawJSON {
    var named: [UInt8] = []
    if let hash {
      named = Array(#""actorHash":""#.utf8) + Array(hash.utf8) + [UInt8(ascii: "\"")]
    } else if let actor {
      named = Array(#""actor":"#.utf8) + (try JSON.encode(actor))
    }
    var text: [UInt8] = []
    text.reserveCapacity(before.count + named.count + after.count + 4)
    text.append(UInt8(ascii: "{"))
    for part in [before, named, after] where !part.isEmpty {
      if text.count > 1 { text.append(UInt8(ascii: ",")) }
      text.append(contentsOf: part)
    }
    text.append(UInt8(ascii: "}"))
    return RawJSON(text)
  }
}
