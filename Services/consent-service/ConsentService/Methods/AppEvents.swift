// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import RPC
internal import SQLStore
internal import SettingsContracts

/// `events.deliver`: what account-service says of the apps themselves.
struct AppEvents: Sendable {
  let inbox: Inbox

  func register(on router: inout MethodRouter) {
    router.on(EventMethods.deliver) { params, context in
      try params.checkSource(context)
      return DeliverResult(outcomes: try await take(params.events))
    }
  }

  func take(_ events: [Event]) async throws -> [Acceptance] { try await inbox.accept(events, apply: Self.apply) }

  /// Keeps the regulation of people whose region is not known.
  @Sendable
  private static func apply(_ arrivals: [Inbox.Arrival], _ rows: [SQLRows], _ writes: inout SQLWrites) throws {
    for arrival in arrivals where arrival.isCurrent && arrival.event.source == "account-service" {
      guard arrival.event.records.contains(where: { $0.kind == "app.published" }), let payload = arrival.event.payload
      else { continue }
      writes.touch(PolicyShelf.subject(arrival.event.app).stampKey)
      let app = try JSON.decode(AppEventPayload.self, from: JSON.encode(payload))
      writes.add(Self.keep(app.defaultRegulation, app: arrival.event.app))
    }
  }

  /// The revision grows with what there is to show only: an app that is published again as it was, or for the first time
  /// without a regulation, changes nothing.
  private static func keep(_ regulation: String?, app: String) -> SQLStatement {
    guard let regulation else {
      return SQLStatement(
        """
        UPDATE consent_app SET revision = revision + 1, default_regulation = NULL
        WHERE app = $1 AND default_regulation IS NOT NULL
        """, .text(app))
    }
    return SQLStatement(
      """
      INSERT INTO consent_app (app, revision, default_regulation) VALUES ($1, 1, $2)
      ON CONFLICT (app) DO UPDATE
      SET revision = consent_app.revision + 1, default_regulation = excluded.default_regulation
      WHERE consent_app.default_regulation IS DISTINCT FROM excluded.default_regulation
      """, .text(app), .text(regulation))
  }
}
