// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import Events
internal import JSONRPC
internal import SQLStore

extension EventArchive {
  /// An archive of these events, as audit-service keeps them.
  public static func holding(_ all: @escaping @Sendable () async throws -> [Event]) -> EventArchive {
    EventArchive(
      marks: { params, _ in
        let events = try await all().map(\.archived).filter { $0.source == params.source }
        let apps = params.app.map { [$0] } ?? Set(events.map(\.app)).sorted()
        var page = EventMarks(marks: [])
        for app in apps {
          let found = events.filter { $0.app == app && $0.entryId < params.before ?? "~" }
            .sorted { $0.entryId > $1.entryId }.prefix(params.limit)
          page.marks += found.map {
            EventMark(
              app: $0.app, subject: $0.subject, generation: $0.generation, seq: $0.seq, entryId: $0.entryId,
              epoch: $0.epoch)
          }
          if params.app != nil, found.count == params.limit { page.next = found.last?.entryId }
        }
        return page
      },
      events: { params, _ in
        let found = try await all().map(\.archived)
          .filter { $0.source == params.source && $0.app == params.app && $0.entryId > params.after }
          .sorted { $0.entryId < $1.entryId }.prefix(params.limit)
        return ArchivedEvents(
          events: Array(found), next: found.count == params.limit ? found.last?.entryId : nil)
      })
  }
}

extension TestStore {
  /// The events that wait for a subscriber, in the order of their positions.
  public func outbox(for subscriber: String = "audit-service") async throws -> [Event] {
    try await store.read(
      SQLStatement("SELECT event FROM outbox WHERE subscriber = $1 ORDER BY app, position, subject", .text(subscriber))
    ).map { try JSON.decode(Event.self, from: $0.text(0)) }
  }
}
