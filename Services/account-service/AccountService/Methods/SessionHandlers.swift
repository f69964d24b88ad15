// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Cryptography
internal import Events
internal import JSONRPC
internal import RPC
internal import SQLStore
internal import ServiceKit
internal import SettingsContracts

/// `session.startDevice`, `start`, `list`.
struct SessionHandlers: Sendable {
  static let pageLimit = 100

  let ledger: Ledger
  let issuer: TokenIssuer

  /// A session as a call left it, kept for repeats of the call: tokens are made of it anew.
  struct Outcome: Codable, Sendable {
    var session: Session
    var revision: Int64
    var entryId: String
  }

  func startDevice(_ params: SessionStartDeviceParams, _ context: CallContext) async throws -> SessionGrant {
    try Text.checkWord(params.platform, "platform", atMost: 32)
    let appVersion = try Text.line(params.appVersion, "appVersion", atMost: 64)
    guard let app = CredentialText.app(ofPublishableKey: params.appKey),
      let row = try await ledger.read([AppRows.select(app)])[0].first, row.text(2) == params.appKey
    else {
      throw RPCError(
        .unauthenticated, "appKey: no app's publishable key", reason: "unknownAppKey", field: "appKey")
    }
    // Callers without a credential cannot be told apart, so a repeat by key could give one device's tokens to another
    // that uses the same key: here a key is not looked at, and a repeat makes one more device.
    var context = context
    context.idempotencyKey = nil
    let now = ledger.clock.now()
    let subject = Subject.device(app, Identifier.next(now))
    let sessionId = Identifier.next(now)
    let outcome = try await ledger.write(
      subject, context, method: SessionMethods.startDevice.name, params: params
    ) { _, change in
      var session = Session(
        app: app, sessionId: sessionId, accountId: nil, deviceId: subject.deviceId!,
        generation: change.head.generation, authenticatedAt: nil, now: change.now)
      session.platform = params.platform
      session.appVersion = appVersion
      return try Self.begin(session, on: subject, &change)
    }
    return try issuer.grant(outcome.session, revision: outcome.revision, entryId: outcome.entryId)
  }

  func start(_ params: SessionStartParams, _ context: CallContext) async throws -> SessionGrant {
    let subject = Subject.account(context.app, try context.accountId(params.accountId))
    if let deviceId = params.deviceId { try CallContext.check(deviceId, "deviceId") }
    let deviceName = try params.deviceName.map { name throws(RPCError) in
      try Text.line(name, "deviceName", atMost: 100)
    }
    let now = ledger.clock.now()
    let authenticatedAt = try Self.authenticationTime(params.authenticatedAt, now: now)
    // Beyond the limit the oldest sessions end, which takes the head that gateways follow.
    let live = try await ledger.read([
      SessionRows.selectLive(subject, now: now, limit: Session.limitPerAccount + 10)
    ])[0].map { SessionRows.session($0) }
    let surplus = live.sorted { $0.lastSeenAt > $1.lastSeenAt }.dropFirst(Session.limitPerAccount - 1)
    let sessionId = Identifier.next(now)
    let newDevice = Identifier.next(now)
    let auth = AuthRows.head(context.app)
    let outcome = try await ledger.write(
      subject, also: surplus.isEmpty ? [] : [auth], context, method: SessionMethods.start.name, params: params,
      reads: [
        ProfileRows.select(subject),
        SessionRows.selectNewest(app: context.app, device: params.deviceId ?? newDevice),
      ]
    ) { rows, change in
      guard !rows[0].isEmpty else { throw AccountHandlers.notFound }
      let onDevice = rows[1].first.map { SessionRows.session($0) }
      if params.deviceId != nil, onDevice == nil { throw RPCError.notFound("deviceId: device", field: "deviceId") }
      var session = Session(
        app: subject.app, sessionId: sessionId, accountId: subject.accountId, deviceId: params.deviceId ?? newDevice,
        generation: change.head.generation, authenticatedAt: authenticatedAt, now: change.now)
      session.deviceName = deviceName
      session.platform = onDevice?.platform
      session.appVersion = onDevice?.appVersion
      for old in surplus {
        try change.apply(
          AccountEffect.sessionEnded(
            sessionId: old.sessionId, at: change.now, authSeq: change.heads[auth]!.seq))
      }
      let outcome = try Self.begin(session, on: subject, &change)
      for old in surplus { Self.recordEnd(of: old, .tooMany, &change) }
      return outcome
    }
    return try issuer.grant(outcome.session, revision: outcome.revision, entryId: outcome.entryId)
  }

  func list(_ params: SessionListParams, _ context: CallContext) async throws -> SessionPage {
    let subject = Subject.account(context.app, try context.accountId(params.accountId))
    let limit = try Paging.limit(params.limit, atMost: Self.pageLimit)
    let last = try Paging.place(params.cursor)
    let rows = try await ledger.read([
      SessionRows.selectLive(subject, now: ledger.clock.now(), before: last, limit: limit + 1)
    ])[0]
    let items = rows.prefix(limit).map { SessionRows.session($0) }.map { session in
      SessionItem(
        sessionId: session.sessionId, deviceId: session.deviceId, deviceName: session.deviceName,
        platform: session.platform, appVersion: session.appVersion, createdAt: session.createdAt,
        authenticatedAt: session.authenticatedAt ?? session.createdAt, lastSeenAt: session.lastSeenAt,
        current: session.sessionId == context.principal.sessionId)
    }
    return SessionPage(
      items: items, nextCursor: rows.count > limit ? items.last.map { Paging.cursor($0.sessionId) } : nil)
  }

  /// Stores a new session, with its record.
  static func begin(_ session: Session, on subject: Subject, _ change: inout Change) throws -> Outcome {
    try change.apply(AccountEffect.sessionBegun(session: session))
    var personal: [String: JSONValue] = [
      "sessionId": .string(session.sessionId), "deviceId": .string(session.deviceId),
    ]
    if let platform = session.platform { personal["platform"] = .string(platform) }
    if let appVersion = session.appVersion { personal["appVersion"] = .string(appVersion) }
    if let deviceName = session.deviceName { personal["deviceName"] = .string(deviceName) }
    if let authenticatedAt = session.authenticatedAt {
      personal["authenticatedAt"] = .string(authenticatedAt.description)
    }
    let entryId = change.record("session.started", facts: [:], personal: personal, on: subject)
    return Outcome(session: session, revision: change.heads[subject]!.seq, entryId: entryId)
  }

  @discardableResult
  static func recordEnd(of session: Session, _ reason: SessionEnd, _ change: inout Change) -> String {
    change.record(
      "session.ended", facts: ["reason": .string(reason.rawValue)],
      personal: ["sessionId": .string(session.sessionId), "deviceId": .string(session.deviceId)])
  }

  /// Clocks differ a little; a sign-in of the future beyond that would stay recent for too long.
  static func authenticationTime(_ time: Timestamp, now: Timestamp) throws(RPCError) -> Timestamp {
    guard time <= now + 60_000, time.milliseconds >= 0 else {
      throw .invalidParams("authenticatedAt", "must not be later than now")
    }
    return min(time, now)
  }
}
