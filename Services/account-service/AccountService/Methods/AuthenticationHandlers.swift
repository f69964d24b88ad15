// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import RPC
internal import SQLStore
internal import SettingsContracts

/// `account.authChanges`, `session.verify`: what the rest of the system believes credentials by.
struct AuthenticationHandlers: Sendable {
  let ledger: Ledger
  let issuer: TokenIssuer

  /// Asked four times a second by every gateway: without changes it is one read of one row an app.
  func changes(_ params: AuthChangesParams, _ context: CallContext) async throws -> AuthChanges {
    let heads = AuthCursor(
      epoch: ledger.epoch,
      revisions: Dictionary(
        uniqueKeysWithValues: try await ledger.read([AuthRows.heads])[0].map { ($0.text(0), $0.int(1)) }))
    let asked = params.cursor ?? ""
    let current = heads.description
    if asked == current { return AuthChanges(cursor: current) }

    let known = AuthCursor(asked).flatMap { $0.isBehind(heads) ? $0 : nil }
    var cursor = known ?? AuthCursor(epoch: ledger.epoch, revisions: [:])
    var answer = AuthChanges(cursor: "", reset: known == nil ? true : nil, publicKeys: issuer.keys.publicKeys)
    let now = ledger.clock.now()
    for (app, revision) in heads.revisions.sorted(by: { $0.key < $1.key }) where cursor.revisions[app] != revision {
      let rows = try await ledger.read(AuthRows.changes(of: app, after: cursor.revisions[app] ?? 0, now: now))
      let end = Self.wholeRevision(rows, head: revision)
      answer.apps += try rows[0].filter { $0.int(5) <= end }.map(AuthRows.app)
      answer.keys += rows[1].filter { $0.int(7) <= end }.map { AuthRows.key($0, app: app) }
      answer.revocations += rows[2].filter { $0.int(2) <= end }.map { AuthRows.revocation($0, app: app) }
      cursor.revisions[app] = end
      if end < revision {
        answer.more = true
        break
      }
    }
    answer.cursor = cursor.description
    return answer
  }

  func verify(_ params: SessionVerifyParams, _ context: CallContext) async throws -> VerifiedSession {
    guard let claims = issuer.verify(params.token, now: ledger.clock.now()), claims.app == context.app,
      let row = try await ledger.read([SessionRows.select(app: claims.app, claims.sid)])[0].first,
      SessionRows.session(row).endedAt == nil
    else {
      throw RPCError(.unauthenticated, "token: not a good token of this app", reason: "invalidToken", field: "token")
    }
    return VerifiedSession(principal: claims.principal, expiresAt: claims.expiresAt)
  }

  /// Up to which revision the rows are complete: the head's, or, where a table had more than a page, the last before the
  /// one that its page cuts.
  private static func wholeRevision(_ rows: [SQLRows], head: Int64) -> Int64 {
    var end = head
    for (rows, column) in [(rows[1], 7), (rows[2], 2)] where rows.count > AuthRows.pageSize {
      end = min(end, rows[rows.count - 1].int(column) - 1)
    }
    return end
  }
}
