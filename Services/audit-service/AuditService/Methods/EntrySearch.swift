// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import RPC

/// Walks through a log, newest entry first, for as long as a caller can wait.
struct EntrySearch: Sendable {
  let reader: EntryReader
  let waiters: EntryWaiters

  /// Waits until the entry is in; at once when there is none to wait for.
  /// - Throws: UNAVAILABLE, to be tried again, when it is not in by the deadline.
  func wait(for entryId: String?, _ context: CallContext) async throws {
    guard let entryId else { return }
    let key = EntryWaiters.Key(app: context.app, entryId: entryId)
    let isIn = try await waiters.wait(for: key, until: context.deadline) { try await reader.isStored(key) }
    guard isIn else {
      throw RPCError.unavailable("after: this entry is not in the log yet", reason: "entryPending", retryAfterMs: 250)
    }
  }

  /// Gives the entries of `query` in `scope` to `take` until it declines one, half of the caller's time is used, or the
  /// log ends.
  /// - Returns: where to go on; nil at the end.
  func each(
    _ query: EntryQuery, _ scope: AuditScope, _ context: CallContext, _ take: (StoredEntry) throws -> Bool
  ) async throws -> EntryQuery.Position? {
    let enough = context.deadline.remainingMilliseconds / 2
    var query = query
    while true {
      let page = try await reader.page(query, app: context.app, subject: scope.subject?.id, limit: query.limit)
      for (position, entry) in page.entries {
        if let deviceId = scope.deviceId, try !entry.isMade(on: deviceId) {
          query.start = position
          continue
        }
        guard try take(entry) else { return query.start }
        query.start = position
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
