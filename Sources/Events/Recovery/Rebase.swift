// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC
public import SQLStore

/// How a service joins two histories of one subject: events of its own are to follow others that it knew nothing of.
public struct Rebase: Sendable {
  /// What it wants to know of the subject, as the other history left it.
  let reads: @Sendable (Subject) -> [SQLStatement]
  /// The effects of each event, as a JSON array, that keep what both histories restrict. Pure.
  let effects: @Sendable (_ events: [Event], _ rows: [SQLRows]) throws -> [RawJSON]

  public init(
    reads: @escaping @Sendable (Subject) -> [SQLStatement],
    effects: @escaping @Sendable (_ events: [Event], _ rows: [SQLRows]) throws -> [RawJSON]
  ) {
    self.reads = reads
    self.effects = effects
  }

  /// For effects that say no more than what was done.
  public static let asTheyAre = Rebase(reads: { _ in [] }, effects: { events, _ in events.map(\.ownEffects) })
}

extension Event {
  /// JSON array of its effects.
  public var ownEffects: RawJSON { replay?.effects ?? RawJSON(Array("[]".utf8)) }
}
