// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import Events
internal import JSONRPC
internal import RPC
internal import SQLStore
internal import ServiceKit
internal import SettingsContracts

/// `session.signOut`, `session.signOutEverywhere`.
///
/// A device that signs out goes on as another device subject, so that what it does from then on cannot be joined to the
/// account that it was signed in to.
struct SignOutHandlers: Sendable {
  let ledger: Ledger
  let issuer: TokenIssuer

  private struct Outcome: Codable, Sendable {
    var count: Int
    var device: SessionHandlers.Outcome?
    var revision: Int64
    var entryId: String?
  }

  func signOut(_ params: SessionSignOutParams, _ context: CallContext) async throws -> SignedOut {
    let subject = Subject.account(context.app, try context.accountId(params.accountId))
    if let sessionId = params.sessionId { try CallContext.check(sessionId, "sessionId") }
    guard let sessionId = params.sessionId ?? context.principal.sessionId else {
      throw RPCError.invalidParams("sessionId", "missing; the token names no session")
    }
    let isOwn = sessionId == context.principal.sessionId
    let (auth, successor) = heads(context, isOwn: isOwn)
    let newSessionId = Identifier.next(ledger.clock.now())
    let outcome = try await ledger.write(
      subject, also: [auth] + [successor].compactMap { $0 }, context, method: SessionMethods.signOut.name,
      params: params, reads: [SessionRows.select(app: context.app, sessionId)]
    ) { rows, change in
      guard let session = rows[0].first.map({ SessionRows.session($0) }), session.accountId == subject.accountId else {
        throw RPCError.notFound("session")
      }
      guard session.endedAt == nil else { return Outcome(count: 0, revision: change.leaveUnchanged()) }
      let authSeq = change.heads[auth]!.seq
      try change.apply(AccountEffect.sessionEnded(sessionId: sessionId, at: change.now, authSeq: authSeq))
      let entryId = SessionHandlers.recordEnd(of: session, .signedOut, &change)
      let device = try successor.map { try Self.succeed(session, $0, newSessionId, authSeq: authSeq, &change) }
      return Outcome(count: 1, device: device, revision: change.head.seq, entryId: entryId)
    }
    return try answer(outcome)
  }

  func signOutEverywhere(_ params: SessionSignOutEverywhereParams, _ context: CallContext) async throws -> SignedOut {
    let subject = Subject.account(context.app, try context.accountId(params.accountId))
    let now = ledger.clock.now()
    let (auth, successor) = heads(context, isOwn: context.principal.sessionId != nil)
    let newSessionId = Identifier.next(now)
    let outcome = try await ledger.write(
      subject, also: [auth] + [successor].compactMap { $0 }, context,
      method: SessionMethods.signOutEverywhere.name, params: params,
      reads: [SessionRows.selectLive(subject, now: now, limit: 10 * Session.limitPerAccount)]
    ) { rows, change in
      let live = rows[0].map { SessionRows.session($0) }
      guard !live.isEmpty else { return Outcome(count: 0, revision: change.leaveUnchanged()) }
      let authSeq = change.heads[auth]!.seq
      try change.apply(AccountEffect.sessionsEnded(at: change.now, authSeq: authSeq))
      let entryId = change.record(
        "session.endedEverywhere",
        facts: ["reason": .string(SessionEnd.signedOutEverywhere.rawValue), "count": .integer(Int64(live.count))],
        personal: ["sessionIds": .array(live.map { .string($0.sessionId) })])
      let own = live.first { $0.sessionId == context.principal.sessionId }
      let device = try successor.flatMap { successor in
        try own.map { try Self.succeed($0, successor, newSessionId, authSeq: authSeq, &change) }
      }
      return Outcome(count: live.count, device: device, revision: change.head.seq, entryId: entryId)
    }
    return try answer(outcome)
  }

  /// The head that gateways follow, and that of the device's successor when the caller's own session ends.
  private func heads(_ context: CallContext, isOwn: Bool) -> (auth: Subject, successor: Subject?) {
    (
      AuthRows.head(context.app),
      isOwn ? .device(context.app, Identifier.next(ledger.clock.now())) : nil
    )
  }

  /// Begins the device's new life before sign-in, and ends the session it had before its old one.
  private static func succeed(
    _ session: Session, _ successor: Subject, _ sessionId: String, authSeq: Int64, _ change: inout Change
  ) throws -> SessionHandlers.Outcome {
    try change.apply(
      AccountEffect.deviceSessionsEnded(deviceId: session.deviceId, at: change.now, authSeq: authSeq))
    var next = Session(
      app: session.app, sessionId: sessionId, accountId: nil, deviceId: successor.deviceId!,
      generation: change.heads[successor]!.generation, authenticatedAt: nil, now: change.now)
    next.platform = session.platform
    next.appVersion = session.appVersion
    return try SessionHandlers.begin(next, on: successor, &change)
  }

  private func answer(_ outcome: Outcome) throws -> SignedOut {
    SignedOut(
      count: outcome.count,
      device: try outcome.device.map {
        try issuer.grant($0.session, revision: $0.revision, entryId: $0.entryId)
      }, revision: outcome.revision, entryId: outcome.entryId)
  }
}
