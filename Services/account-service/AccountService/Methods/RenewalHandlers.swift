// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import Events
internal import JSONRPC
internal import RPC
internal import SQLStore
internal import ServiceKit
internal import SettingsContracts

/// `session.refresh`, `reauthenticate`: new tokens for a session that goes on.
struct RenewalHandlers: Sendable {
  let ledger: Ledger
  let issuer: TokenIssuer

  /// Writes no audit record and takes no revision: nothing about the person, the device or their settings changes.
  func refresh(_ params: SessionRefreshParams, _ context: CallContext) async throws -> SessionGrant {
    guard let token = issuer.readRefreshToken(params.refreshToken) else { throw Self.refused("invalidRefreshToken") }
    let key = context.idempotencyKey.map { SHA256.hash($0) }
    let now = ledger.clock.now()
    let (refresh, session): (Refresh, Session?)
    do {
      (refresh, session) = try await ledger.store.write([SessionRows.lock(app: token.app, token.sessionId)]) {
        rows, writes in
        guard let row = rows[0].first else { return (.ended, nil) }
        let session = SessionRows.session(row)
        let refresh = Refresh.decide(
          session, number: token.number, spentBy: SessionRows.spentBy(row), key: key, now: now)
        if case .rotated(let next) = refresh { writes.add(SessionRows.spend(next, by: key)) }
        return (refresh, session)
      }
    } catch let error as SQLStoreError {
      throw RPCError(error)
    }
    switch (refresh, session) {
    case (.rotated(let next), _): return try issuer.grant(next)
    case (.repeated, let session?): return try issuer.grant(session)
    case (.reused, let session?):
      try await end(session, .refreshTokenReused, context)
      throw Self.refused("refreshTokenReused")
    case (.expired, _): throw Self.refused("sessionExpired")
    default: throw Self.refused("sessionEnded")
    }
  }

  func reauthenticate(_ params: SessionReauthenticateParams, _ context: CallContext) async throws -> SessionGrant {
    let subject = Subject.account(context.app, try context.accountId(params.accountId))
    try CallContext.check(params.sessionId, "sessionId")
    let authenticatedAt = try SessionHandlers.authenticationTime(params.authenticatedAt, now: ledger.clock.now())
    let outcome = try await ledger.write(
      subject, context, method: SessionMethods.reauthenticate.name, params: params,
      reads: [SessionRows.select(app: context.app, params.sessionId)]
    ) { rows, change in
      guard var session = rows[0].first.map({ SessionRows.session($0) }), session.accountId != nil else {
        throw RPCError.notFound("session")
      }
      guard session.accountId == subject.accountId else {
        throw RPCError.failedPrecondition(
          "accountId: the session is another account's", reason: "otherAccount", field: "accountId")
      }
      guard session.isLive(at: change.now) else {
        throw RPCError.failedPrecondition(
          "sessionId: the session has ended", reason: "sessionEnded", field: "sessionId")
      }
      session.authenticatedAt = max(session.authenticatedAt ?? authenticatedAt, authenticatedAt)
      session.tokenUntil = max(session.tokenUntil, Session.tokenEnd(change.now))
      try change.apply(AccountEffect.sessionAuthenticated(session: session))
      let entryId = change.record(
        "session.reauthenticated", facts: [:],
        personal: [
          "sessionId": .string(session.sessionId), "deviceId": .string(session.deviceId),
          "authenticatedAt": .string(authenticatedAt.description),
        ])
      return SessionHandlers.Outcome(session: session, revision: change.head.seq, entryId: entryId)
    }
    var grant = try issuer.grant(outcome.session, revision: outcome.revision, entryId: outcome.entryId)
    grant.refreshToken = nil
    return grant
  }

  /// Ends a session on the service's own account.
  private func end(_ session: Session, _ reason: SessionEnd, _ context: CallContext) async throws {
    let subject =
      session.accountId.map { Subject.account(session.app, $0) } ?? .device(session.app, session.deviceId)
    let auth = AuthRows.head(session.app)
    var context = context
    context.idempotencyKey = nil
    context.principal = Principal(kind: .service, app: session.app, name: AccountService.name)
    _ = try await ledger.write(
      subject, also: [auth], context, method: SessionMethods.refresh.name, params: Empty(),
      reads: [SessionRows.select(app: session.app, session.sessionId)]
    ) { rows, change in
      guard let row = rows[0].first, SessionRows.session(row).endedAt == nil else {
        change.leaveUnchanged()
        return Empty()
      }
      try change.apply(
        AccountEffect.sessionEnded(
          sessionId: session.sessionId, at: change.now, authSeq: change.heads[auth]!.seq))
      SessionHandlers.recordEnd(of: session, reason, &change)
      return Empty()
    }
  }

  private static func refused(_ reason: String) -> RPCError {
    RPCError(
      .unauthenticated, "refreshToken: not good any more, or never was: sign in again", reason: reason,
      field: "refreshToken")
  }
}
