// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SQLStore

/// What a store's outbox holds for the archive: events that it may not have, or has others in the place of.
struct UndeliveredEvents: Sendable {
  struct Entry: Sendable {
    let event: Event
    let position: Int64

    func removal(for subscriber: String) -> SQLStatement {
      SQLStatement(
        "DELETE FROM outbox WHERE app = $1 AND subscriber = $2 AND position = $3 AND subject = $4", .text(event.app),
        .text(subscriber), .integer(position), .text(event.subject))
    }
  }

  private static let pageRows = 500

  /// In the order of their positions, by app.
  private(set) var events: [Entry] = []
  private var entryIds: [Subject: [Int64: String]] = [:]

  static func of(_ ledger: Ledger) async throws -> UndeliveredEvents {
    let outbox = Outbox(ledger.store)
    var found = UndeliveredEvents()
    for app in try await outbox.apps() {
      var last: Int64? = 0
      while let after = last {
        let rows = try await outbox.rows(
          app, for: Ledger.archive, after: after, of: 0, before: .max, limit: pageRows)
        for row in rows {
          found.add(Entry(event: try JSON.decode(Event.self, from: row.event), position: row.position))
        }
        last = rows.count == pageRows ? rows.last?.position : nil
      }
    }
    return found
  }

  private mutating func add(_ entry: Entry) {
    events.append(entry)
    entryIds[entry.event.subjectOf, default: [:]][entry.event.seq] = entry.event.entryId
  }

  /// Whether another event than the archive's is in its place.
  func contradicts(_ mark: EventMark) -> Bool {
    guard let own = entryIds[Subject(app: mark.app, id: mark.subject)]?[mark.seq] else { return false }
    return own != mark.entryId
  }
}
