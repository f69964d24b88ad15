// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import JSONRPC

/// The event of a decided change for one of its subjects, as it is written; subscribers read an `Event`.
struct DecidedEvent: Sendable {
  let source: String
  let epoch: String
  let place: EventPlace
  let entryId: String
  let records: [DecidedRecord]
  let payload: JSONValue?
  /// JSON of each effect, in order; nil for those who get no replay.
  private var effects: [RawJSON]?
  /// Whether others than audit-service get it.
  let isShared: Bool

  /// - Parameter index: of the subject among those of the write.
  init(_ change: Change, _ index: Int, source: String, epoch: String, isShared: Bool) {
    place = change.heads[index]
    let isMain = place.subject == change.subject
    self.source = source
    self.epoch = epoch
    records = change.records[index]
    entryId = records.first?.entryId ?? Identifier.next(change.now)
    payload = isMain ? change.payload : nil
    effects = isMain ? change.effects : []
    self.isShared = isShared
  }
}

extension DecidedEvent: OutgoingEvent {
  var hasReplay: Bool { effects != nil }

  var withoutReplay: DecidedEvent {
    var event = self
    event.effects = nil
    return event
  }

  func encode(into object: JSONObject) {
    object.put("source", source)
    object.put("epoch", epoch)
    object.put("app", place.subject.app)
    object.put("subject", place.subject.id)
    object.put("generation", place.head.generation)
    object.put("seq", place.head.seq)
    object.put("entryId", entryId)
    object.put("kind", records.first?.kind ?? "changed")
    object.put("records", records)
    object.put("payload", payload)
    guard let effects else { return }
    object.putObject("replay") { replay in
      replay.put("effects", effects)
      replay.put("isShared", isShared)
    }
  }
}

/// One entry of the audit trail, as it is written.
struct DecidedRecord: JSONObjectEncodable, Sendable {
  let entryId: String
  let kind: String
  let timestamp: Timestamp
  let details: any AuditDetails
  // Personal, and nil where the details say it themselves.
  let actor: String?
  let accountId: String?
  let deviceId: String?

  func encode(into object: JSONObject) {
    object.put("entryId", entryId)
    object.put("kind", kind)
    object.put("timestamp", timestamp)
    object.putObject("facts") { details.putFacts(into: $0) }
    object.putObject("personal") { personal in
      details.putPersonal(into: personal)
      personal.put("actor", actor)
      personal.put("accountId", accountId)
      personal.put("deviceId", deviceId)
    }
  }
}
