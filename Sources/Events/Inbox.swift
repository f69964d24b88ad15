// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
public import SQLStore

/// Takes other services' events, each once and in order per subject and source, in one transaction with what the
/// subscriber makes of them.
public struct Inbox: Sendable {
  private let store: any SQLStore

  public init(store: any SQLStore) { self.store = store }

  /// An event to apply.
  public struct Arrival: Sendable {
    public let event: Event
    /// Its place in the delivered batch.
    public let index: Int
    /// False: of an older generation, or of a subject deleted here. Has no effect on anything but the audit trail.
    public let isCurrent: Bool
  }

  /// Takes a batch.
  /// - Parameters:
  ///   - events: of one or more sources; those of one subject in order.
  ///   - reads: what `apply` wants to know.
  ///   - apply: pure, can be run again; gets the events that are new and in turn, and adds the subscriber's writes.
  /// - Returns: one outcome per event, in order.
  /// - Throws: what `apply` threw, or the store's failure as an `RPCError`; nothing was taken then.
  public func accept(
    _ events: [Event], reads: [SQLStatement] = [],
    apply:
      @escaping @Sendable (_ arrivals: [Arrival], _ rows: [SQLRows], _ writes: inout SQLWrites) throws -> Void
  ) async throws -> [Acceptance] {
    var streams: [Stream] = []
    var numbers: [Stream: Int] = [:]
    let streamOf = events.map { event in
      let stream = Stream(event)
      if let known = numbers[stream] { return known }
      numbers[stream] = streams.count
      streams.append(stream)
      return streams.count - 1
    }
    let plan = streams.map(\.lookup) + reads
    var attempt = 1
    while true {
      do {
        return try await store.write(plan) { [streams] rows, writes in
          var standings = zip(streams, rows).map { Standing($0, $1) }
          var arrivals: [Arrival] = []
          var outcomes: [Acceptance] = []
          outcomes.reserveCapacity(events.count)
          for (index, event) in events.enumerated() {
            let outcome = standings[streamOf[index]].take(event)
            outcomes.append(outcome)
            guard outcome == .applied else { continue }
            writes.touch(Subject(app: event.app, id: event.subject).stampKey)
            arrivals.append(
              Arrival(event: event, index: index, isCurrent: standings[streamOf[index]].isCurrent(event)))
          }
          if !arrivals.isEmpty { try apply(arrivals, Array(rows[streams.count...]), &writes) }
          for standing in standings { standing.save(to: &writes) }
          return outcomes
        }
      } catch let error as SQLStoreError {
        // Another replica took events of the same subject between our look and our write.
        guard error.kind == .conflict, attempt < 5 else { throw RPCError(error) }
        attempt += 1
      }
    }
  }
}

/// The events of one subject by one source.
private struct Stream: Hashable {
  let app: String
  let subject: String
  let source: String
  let epoch: String

  init(_ event: Event) {
    app = event.app
    subject = event.subject
    source = event.source
    epoch = event.epoch
  }

  /// The last event taken, and where the subject stands here; one row, with NULL for what there is not.
  var lookup: SQLStatement {
    SQLStatement(
      """
      SELECT inbox.seq, inbox.entry_id, subject_head.generation, subject_head.state
      FROM (SELECT 1 AS one) AS anchor
      LEFT JOIN inbox ON inbox.app = $1 AND inbox.subject = $2 AND inbox.source = $3 AND inbox.epoch = $4
      LEFT JOIN subject_head ON subject_head.app = $1 AND subject_head.subject = $2
      """, .text(app), .text(subject), .text(source), .text(epoch))
  }
}

/// How far a stream has been taken, in the store and in the batch at hand.
private struct Standing {
  private let stream: Stream
  private let stored: Int64
  private var seq: Int64
  private var entryId: String?
  private let generation: Int64?
  private let isDeleted: Bool

  init(_ stream: Stream, _ rows: SQLRows) {
    self.stream = stream
    let row = rows[0]
    stored = row.optionalInt(0) ?? 0
    seq = stored
    entryId = row.optionalText(1)
    generation = row.optionalInt(2)
    isDeleted = row.optionalInt(3) == 1
  }

  mutating func take(_ event: Event) -> Acceptance {
    if event.seq == seq + 1 {
      seq = event.seq
      entryId = event.entryId
      return .applied
    }
    if event.seq > seq { return .gap }
    return event.seq == seq && event.entryId != entryId ? .conflict : .duplicate
  }

  func isCurrent(_ event: Event) -> Bool { !isDeleted && event.generation >= generation ?? 0 }

  /// Writes the new standing, if it still is what was read.
  func save(to writes: inout SQLWrites) {
    guard seq != stored, let entryId else { return }
    writes.add(
      SQLStatement(
        """
        INSERT INTO inbox (app, subject, source, epoch, seq, entry_id) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (app, subject, source, epoch) DO UPDATE SET seq = excluded.seq, entry_id = excluded.entry_id
        WHERE inbox.seq = $7 RETURNING 1
        """, .text(stream.app), .text(stream.subject), .text(stream.source), .text(stream.epoch), .integer(seq),
        .text(entryId), .integer(stored))
    ) { rows in
      guard !rows.isEmpty else { throw SQLStoreError(.conflict, "the inbox moved on meanwhile") }
    }
  }
}
