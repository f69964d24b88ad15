// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Why a store may not be served from until it has recovered.
public enum RecoveryNeed: String, Sendable, Codable, CaseIterable {
  /// audit-service has events of this service that its store does not know.
  case behind = "restoredBehindAudit"
  /// The store is a restored copy, or its recovery was not finished.
  case restored = "restoredNotRecovered"
  /// audit-service has other events in the place of some of this store's.
  case contested = "twoHistories"
}

/// Why a recovery cannot be completed.
public enum RecoveryProblem: Error, Sendable, Hashable, CustomStringConvertible {
  /// The archive lacks events that lie between the backup and what it has: of an app, how many cannot be applied.
  case missing(app: String, events: Int)
  /// An event's effects were written by a version that this one cannot read.
  case unreadable(entryId: String)

  public var description: String {
    switch self {
    case .missing(let app, let events):
      "audit-service lacks events between this backup and \(events) that it has of the app \(app): restore a newer backup"
    case .unreadable(let entryId):
      "the event \(entryId) was written by a version that this one cannot read: recover with that version"
    }
  }
}

/// How far a recovery has come.
public struct RecoveryProgress: Codable, Sendable, Hashable {
  /// Own events that were applied again.
  public var replayed = 0
  /// Other services' events that were taken again.
  public var taken = 0
  /// Own events that were in the place of others', and follow these now.
  public var rebased = 0
  /// Subjects that were erased again.
  public var erased = 0
  /// At work on this app.
  public var app: String?
  /// The epoch that the store goes on in, once it has recovered.
  public var epoch: String?

  public init() {}
}
