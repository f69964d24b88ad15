// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// One write to one subject, as its subscribers are told.
public struct Event: Codable, Sendable, Hashable {
  /// The service that wrote: `consent-service`.
  public var source: String
  /// New with every new store of that service.
  public var epoch: String
  public var app: String
  /// `Subject.id`.
  public var subject: String
  public var generation: Int64
  public var seq: Int64
  /// Of the first record, or the event's own when there is none.
  public var entryId: String
  /// Of the first record, or `changed`.
  public var kind: String
  public var records: [AuditRecord]
  /// For subscribers that act on the change.
  public var payload: JSONValue?
  /// For audit-service alone, which keeps it for a store that was restored from a backup.
  public var replay: EventReplay?

  public init(
    source: String, epoch: String, app: String, subject: String, generation: Int64, seq: Int64, entryId: String,
    kind: String, records: [AuditRecord], payload: JSONValue? = nil, replay: EventReplay? = nil
  ) {
    self.source = source
    self.epoch = epoch
    self.app = app
    self.subject = subject
    self.generation = generation
    self.seq = seq
    self.entryId = entryId
    self.kind = kind
    self.records = records
    self.payload = payload
    self.replay = replay
  }

  public var subjectOf: Subject { Subject(app: app, id: subject) }
}

extension Event: JSONObjectEncodable {
  public func encode(into object: JSONObject) {
    object.put("source", source)
    object.put("epoch", epoch)
    object.put("app", app)
    object.put("subject", subject)
    object.put("generation", generation)
    object.put("seq", seq)
    object.put("entryId", entryId)
    object.put("kind", kind)
    object.put("records", records)
    object.put("payload", payload)
    if let replay { object.put("replay", replay) }
  }
}

extension Event {
  public init(from decoder: any Decoder) throws {
    let members = try JSONMembers(decoder)
    try self.init(members, records: try members.readAll("records"))
  }

  /// For readers that have a form of their own for the records.
  public init(_ members: JSONMembers, records: [AuditRecord]) throws {
    source = try members.read("source")
    epoch = try members.read("epoch")
    app = try members.read("app")
    subject = try members.read("subject")
    generation = try members.read("generation")
    seq = try members.read("seq")
    entryId = try members.read("entryId")
    kind = try members.read("kind")
    self.records = records
    payload = try members.readIfPresent("payload")
    replay = try members.readIfPresent("replay")
  }
}
