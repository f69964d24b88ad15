// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC
public import SQLStore

/// What an event must hold so that it can be given to its own source again.
public struct EventReplay: Codable, Sendable, Hashable {
  /// JSON array of the write's effects, in order.
  public var effects: RawJSON
  /// Others than audit-service get the source's events too, so records are kept for them.
  public var isShared: Bool

  public init(effects: RawJSON, isShared: Bool) {
    self.effects = effects
    self.isShared = isShared
  }
}

extension EventReplay: JSONObjectEncodable {
  public func encode(into object: JSONObject) {
    object.put("effects", effects)
    object.put("isShared", isShared)
  }
}

extension Event: OutgoingEvent {
  var hasReplay: Bool { replay != nil }

  /// As subscribers other than audit-service get it.
  public var withoutReplay: Event {
    var event = self
    event.replay = nil
    return event
  }

  /// As audit-service keeps it: its records are in the log already, and who reads them again needs them here.
  public var archived: Event {
    var event = self
    if event.replay?.isShared != true { event.records = [] }
    return event
  }

  /// What the write that made it did to its service's own tables.
  /// - Throws: when the effects are of a version that this one cannot read.
  public func statements<Effect: StoreEffect>(of effects: Effect.Type) throws -> [SQLStatement] {
    guard let replay else { return [] }
    return try JSON.decode([Effect].self, from: replay.effects.bytes).flatMap { try $0.statements(at: place) }
  }

  public var place: EventPlace {
    EventPlace(subject: subjectOf, head: Head(generation: generation, seq: seq))
  }
}
