// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import RPC
internal import SQLStore
internal import SettingsContracts

/// `events.deliver`: what permission-service and account-service tell.
struct EventIntake: Sendable {
  let inbox: Inbox

  func deliver(_ params: DeliverParams, _ context: CallContext) async throws -> DeliverResult {
    try params.checkSource(context)
    return DeliverResult(outcomes: try await take(params.events))
  }

  func take(_ events: [Event]) async throws -> [Acceptance] {
    try await inbox.accept(events) { arrivals, _, writes in
      for arrival in arrivals where arrival.isCurrent {
        for statement in Self.effects(of: arrival.event) { writes.add(statement) }
      }
    }
  }

  private static func effects(of event: Event) -> [SQLStatement] {
    switch event.source {
    case "permission-service": permission(event)
    case "account-service": event.subjectOf.accountId == nil ? [] : account(event)
    default: []
    }
  }

  private static func permission(_ event: Event) -> [SQLStatement] {
    guard let changed = payload(NotificationPermissionChanged.self, of: event) else { return [] }
    return [DeviceRows.save(changed, app: event.app)]
  }

  /// Language and zone from the payload; where the account is signed in from the records.
  private static func account(_ event: Event) -> [SQLStatement] {
    let account = event.subjectOf
    var statements: [SQLStatement] = []
    if let payload = payload(AccountEventPayload.self, of: event) {
      statements.append(DeviceRows.save(payload, of: account))
    }
    for record in event.records {
      let sessionId = record.personal["sessionId"]?.stringValue
      let deviceId = record.personal["deviceId"]?.stringValue
      switch (record.kind, sessionId, deviceId) {
      case ("session.started", let sessionId?, let deviceId?):
        statements.append(DeviceRows.start(sessionId, on: deviceId, of: account, at: record.timestamp))
      case ("session.ended", let sessionId?, let deviceId?):
        statements.append(DeviceRows.end(sessionId, on: deviceId, of: account))
      case ("session.endedEverywhere", _, _): statements.append(DeviceRows.endAll(of: account))
      default: break
      }
    }
    return statements
  }

  /// Nil where there is none, or one of another shape: what a later version tells must not keep the rest from arriving.
  private static func payload<T: Decodable>(_ type: T.Type, of event: Event) -> T? {
    event.payload.flatMap { payload in (try? JSON.encode(payload)).flatMap { try? JSON.decode(type, from: $0) } }
  }
}
