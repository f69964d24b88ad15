// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import Threading

/// An event as it is delivered here: its records are read into what is hashed and sealed, without being taken apart.
struct TakenEvent: Sendable {
  /// With records only where these are kept with the event, for its other subscribers.
  let event: Event
  let records: [TakenRecord]
}

extension TakenEvent: Codable {
  init(from decoder: any Decoder) throws {
    // One of hundreds.
    giveWay()
    let members = try JSONMembers(decoder)
    var event = try Event(members, records: [])
    if event.replay?.isShared == true { event.records = try members.readAll("records") }
    self.event = event
    records = try members.readAll("records")
  }

  func encode(to encoder: any Encoder) throws {
    var event = self.event
    if event.records.isEmpty { event.records = try records.map { try $0.record } }
    try event.encode(to: encoder)
  }
}

/// A record of a delivered event.
struct TakenRecord: Sendable {
  let entryId: String
  let kind: String
  let timestamp: Timestamp
  let facts: RecordFacts
  let personal: PersonalMembers

  /// The record it was, but that numbers without a canonical form have become text.
  var record: AuditRecord {
    get throws {
      AuditRecord(
        entryId: entryId, kind: kind, timestamp: timestamp,
        facts: try JSON.decode([String: JSONValue].self, from: facts.text.bytes),
        personal: try JSON.decode([String: JSONValue].self, from: personal.canonical().bytes))
    }
  }
}

extension TakenRecord: Decodable {
  init(from decoder: any Decoder) throws {
    let members = try JSONMembers(decoder)
    entryId = try members.read("entryId")
    kind = try members.read("kind")
    timestamp = try members.read("timestamp")
    facts =
      if let plain = try members.readPlain("facts") { RecordFacts(plain) } else {
        try RecordFacts(members.read("facts") as [String: JSONValue])
      }
    personal =
      if let plain = try members.readPlain("personal"), let personal = PersonalMembers(plain) { personal } else {
        try PersonalMembers(members.read("personal") as [String: JSONValue])
      }
  }
}

/// `DeliverParams`, read that way.
struct TakenEvents: Codable, Sendable {
  var events: [TakenEvent]
}
