// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography

/// One source's events in one app, as the archive has them.
struct ArchivedLog {
  /// Marks, and events, asked for at once.
  private static let markLimit = 500
  private static let eventLimit = 200
  /// A backup holds all that was made before it, so once so many events in a row are known, and this long before the first
  /// that is not (clocks of replicas differ), everything earlier is.
  private static let knownInARow = 2_000
  private static let knownMilliseconds: Int64 = 15 * 60 * 1000

  let archive: EventArchive
  let app: String
  let source: String

  /// Goes back from the newest until everything is known.
  /// - Returns: after which event to begin, empty for the first; nil when nothing is unknown.
  func start(isKnown: ([EventMark]) async throws -> [Bool]) async throws -> String? {
    var before: String?
    var row = 0
    var hasUnknown = false
    var edge: Int64?
    while true {
      let page = try await archive.marks(
        EventMarksParams(app: app, source: source, before: before, limit: Self.markLimit), EventArchive.patience)
      for (mark, isKnown) in zip(page.marks, try await isKnown(page.marks)) {
        edge = edge ?? mark.time
        guard isKnown else {
          hasUnknown = true
          row = 0
          edge = mark.time
          continue
        }
        row += 1
        if row >= Self.knownInARow, let edge, let time = mark.time, edge - time >= Self.knownMilliseconds {
          return hasUnknown ? mark.entryId : nil
        }
      }
      guard let next = page.next else { return hasUnknown ? "" : nil }
      before = next
    }
  }

  /// Gives all events behind `start` to `take`, page by page; those it gives back come again with the next page, and after
  /// the last as long as that brings it on: those of one millisecond lie in any order.
  /// - Throws: `RecoveryProblem` when some are left at the end; what `take` throws.
  func each(after start: String, _ take: ([Event]) async throws -> [Event]) async throws {
    var after: String? = start
    var held: [Event] = []
    while let from = after {
      let page = try await archive.events(
        ArchivedEventsParams(app: app, source: source, after: from, limit: Self.eventLimit), EventArchive.patience)
      let events = held + page.events
      if !events.isEmpty { held = try await take(events) }
      after = page.next
      try Task.checkCancellation()
    }
    while !held.isEmpty {
      let rest = try await take(held)
      guard rest.count < held.count else { throw RecoveryProblem.missing(app: app, events: rest.count) }
      held = rest
    }
  }
}

extension EventMark {
  /// When it was made, in milliseconds since 1970.
  var time: Int64? { Identifier.milliseconds(of: entryId) }
}
