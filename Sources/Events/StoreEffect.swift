// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import SQLStore

/// What a write does to the tables of its service, as a value: run by the write itself, kept with its event in
/// audit-service, and run again on a store that was restored from a backup older than the write. One code path for both,
/// so what is replayed is what was done.
///
/// Its JSON outlives the version that wrote it: new members are optional, cases are never renamed.
public protocol StoreEffect: Codable, Sendable {
  /// Pure: the same statements for the same effect and place, with every value bound. They hold on a store that has all
  /// that came before; run once more there, they leave it as it is.
  func statements(at place: EventPlace) throws -> [SQLStatement]
}

/// Where a write stands: its main subject, with that subject's head as the write left it.
public struct EventPlace: Sendable, Hashable {
  public let subject: Subject
  public let head: Head

  public init(subject: Subject, head: Head) {
    self.subject = subject
    self.head = head
  }
}
