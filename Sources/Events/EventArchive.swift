// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
public import RPC

/// The events that audit-service has taken, as their sources and subscribers read them again. Ordered by `entryId`, which
/// is the order in which they were made.
public struct EventArchive: Sendable {
  public typealias Marks = @Sendable (EventMarksParams, Deadline) async throws -> EventMarks
  public typealias Events = @Sendable (ArchivedEventsParams, Deadline) async throws -> ArchivedEvents

  public typealias Erased = @Sendable (ErasedSubjectsParams, Deadline) async throws -> ErasedSubjects

  let marks: Marks
  let events: Events
  let erased: Erased

  public init(
    marks: @escaping Marks, events: @escaping Events,
    erased: @escaping Erased = { _, _ in ErasedSubjects(subjects: []) }
  ) {
    self.marks = marks
    self.events = events
    self.erased = erased
  }

  /// Over the bus.
  /// - Parameter client: audit-service's.
  public init(client: @escaping @Sendable () throws -> RPCClient) {
    self.init(
      marks: { try await client().call(EventMethods.marks, $0, app: $0.app ?? "default", deadline: $1) },
      events: { try await client().call(EventMethods.archived, $0, app: $0.app, deadline: $1) },
      erased: { try await client().call(EventMethods.erased, $0, app: $0.app, deadline: $1) })
  }

  /// How long one question of many may take.
  static var patience: Deadline { .after(milliseconds: 10_000) }
}

/// Which event: what tells whether a store has it.
public struct EventMark: Codable, Sendable, Hashable {
  public var app: String
  public var subject: String
  public var generation: Int64
  public var seq: Int64
  public var entryId: String
  public var epoch: String

  public init(app: String, subject: String, generation: Int64, seq: Int64, entryId: String, epoch: String) {
    self.app = app
    self.subject = subject
    self.generation = generation
    self.seq = seq
    self.entryId = entryId
    self.epoch = epoch
  }
}

public struct EventMarksParams: Codable, Sendable {
  /// Left out: the newest of every app.
  public var app: String?
  public var source: String
  /// Only those made before this one.
  public var before: String?
  /// At most, of each app.
  public var limit: Int

  public init(app: String? = nil, source: String, before: String? = nil, limit: Int) {
    self.app = app
    self.source = source
    self.before = before
    self.limit = limit
  }
}

public struct EventMarks: Codable, Sendable {
  /// Newest first within each app; without those of subjects that were erased.
  public var marks: [EventMark]
  /// Where to go on with an app's, when there are more.
  public var next: String?

  public init(marks: [EventMark], next: String? = nil) {
    self.marks = marks
    self.next = next
  }
}

public struct ArchivedEventsParams: Codable, Sendable {
  public var app: String
  public var source: String
  /// Only those made after this one; empty for all.
  public var after: String
  public var limit: Int

  public init(app: String, source: String, after: String, limit: Int) {
    self.app = app
    self.source = source
    self.after = after
    self.limit = limit
  }
}

public struct ArchivedEvents: Codable, Sendable {
  /// Without those of subjects that were erased.
  public var events: [Event]
  /// Where to go on, when there are more.
  public var next: String?

  public init(events: [Event], next: String? = nil) {
    self.events = events
    self.next = next
  }
}

public struct ErasedSubjectsParams: Codable, Sendable {
  public struct Known: Codable, Sendable, Hashable {
    public var subject: String
    public var generation: Int64

    public init(subject: String, generation: Int64) {
      self.subject = subject
      self.generation = generation
    }
  }
  public var app: String
  /// At most 500.
  public var subjects: [Known]

  public init(app: String, subjects: [Known]) {
    self.app = app
    self.subjects = subjects
  }
}

public struct ErasedSubjects: Codable, Sendable {
  public var subjects: [String]
  public init(subjects: [String]) { self.subjects = subjects }
}
