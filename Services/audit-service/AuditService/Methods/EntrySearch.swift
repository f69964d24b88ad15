// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import Events
internal import JSONRPC
internal import RPC

/// Walks through a log, newest entry first, for as long as a caller can wait.
struct EntrySearch: Sendable {
  let reader: EntryReader
  let waiters: EntryWaiters

  /// Waits until the entry is in; at once when there is none to wait for.
  /// - Parameter processed: whether the call has had an effect by now.
  /// - Throws: INVALID_PARAMS for what is the id of no entry; UNAVAILABLE, to be tried again, when it is not in by the
  ///   deadline; RESOURCE_EXHAUSTED when the caller has too many calls waiting.
  func wait(for entryId: String?, _ context: CallContext, processed: RPCError.Processed = .no) async throws {
    guard let entryId else { return }
    guard Self.canBeEntryId(entryId) else {
      throw RPCError.invalidParams("after", "must be the entryId that a write answered with")
    }
    let key = EntryWaiters.Key(app: context.app, entryId: entryId)
    let caller = "\(context.app)/\(context.principal.identity)"
    let outcome = try await waiters.wait(for: key, by: caller, until: context.deadline) {
      try await reader.isStored(key)
    }
    switch outcome {
    case .stored: break
    case .missing:
      throw RPCError.unavailable(
        "after: this entry is not in the log yet", reason: "entryPending", processed: processed, retryAfterMs: 250)
    case .refused:
      throw RPCError.resourceExhausted(
        "after: this entry is not in the log yet, and this caller has as many calls waiting as others leave room for",
        reason: "entryWaiters", processed: processed, retryAfterMs: 250)
    }
  }

  /// Entry ids are identifiers: whatever else is asked for, waiting for it is in vain.
  private static func canBeEntryId(_ text: String) -> Bool {
    Identifier.milliseconds(of: text) != nil
      && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || isLetter($0) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }

  /// Entries read at once: few enough that large ones fill no memory.
  private static let stride = 100

  /// Gives the entries of `query` in `scope` to `take`, as many as its limit says, until it declines one, half of the
  /// caller's time is used, or the log ends.
  /// - Returns: where to go on; nil at the end.
  func each(
    _ query: EntryQuery, _ scope: AuditScope, _ context: CallContext, _ take: (StoredEntry) throws -> Bool
  ) async throws -> EntryQuery.Position? {
    let enough = context.deadline.remainingMilliseconds / 2
    var query = query
    while true {
      let page = try await reader.page(
        query, app: context.app, subject: scope.subject?.id, limit: min(query.limit, Self.stride))
      for (position, entry) in page.entries {
        if try scope.deviceId.map(entry.isMade(on:)) ?? true {
          guard try take(entry) else { return query.start }
          query.limit -= 1
        }
        query.start = position
        guard query.limit > 0 else { return position == page.entries.last?.position ? page.next : position }
      }
      guard let next = page.next else { return nil }
      query.start = next
      guard context.deadline.remainingMilliseconds > enough else { return next }
      try context.checkAlive()
      // A long search leaves the thread to others between windows.
      await Task.yield()
    }
  }
}
