// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
public import SQLStore

/// Takes other services' events, each once and in order per subject and source, in one transaction with what the
/// subscriber makes of them.
public struct Inbox: Sendable {
  private let store: any SQLStore
  private let heedsHeads: Bool

  /// - Parameter heedsHeads: false where events of subjects that were deleted here count as all others do.
  public init(store: any SQLStore, heedsHeads: Bool = true) {
    self.store = store
    self.heedsHeads = heedsHeads
  }

  /// An event to apply.
  public struct Arrival: Sendable {
    public let event: Event
    /// Its place in the delivered batch.
    public let index: Int
    /// False: of an older generation, or of a subject deleted here, where the inbox heeds heads. Has no effect.
    public let isCurrent: Bool
  }

  /// Takes a batch.
  /// - Parameters:
  ///   - events: of one or more sources; those of one subject in order.
  ///   - overGaps: whether one is taken although those before it are missing, since these are lost.
  ///   - reads: what `apply` wants to know.
  ///   - apply: pure, can be run again; gets the events that are new and in turn, and adds the subscriber's writes.
  /// - Returns: one outcome per event, in order.
  /// - Throws: what `apply` threw, or the store's failure as an `RPCError`; nothing was taken then.
  public func accept(
    _ events: [Event], overGaps: Bool = false, reads: [SQLStatement] = [],
    apply:
      @escaping @Sendable (_ arrivals: [Arrival], _ rows: [SQLRows], _ writes: inout SQLWrites) throws -> Void
  ) async throws -> [Acceptance] {
    let streams = InboxStreams(events, listing: !store.joinsEqualStatements, withHeads: heedsHeads)
    let plan = streams.statements + reads
    var attempt = 1
    while true {
      do {
        return try await store.write(plan) { rows, writes in
          writes.givesWay = true
          var standings = streams.standings(rows)
          var arrivals: [Arrival] = []
          var outcomes: [Acceptance] = []
          outcomes.reserveCapacity(events.count)
          for (index, event) in events.enumerated() {
            let stream = streams.numbers[index]
            let outcome = standings[stream].take(event, overGaps: overGaps)
            outcomes.append(outcome)
            guard outcome == .applied else { continue }
            writes.touch(Subject(app: event.app, id: event.subject).stampKey)
            arrivals.append(Arrival(event: event, index: index, isCurrent: standings[stream].isCurrent(event)))
          }
          if !arrivals.isEmpty { try apply(arrivals, Array(rows[streams.statements.count...]), &writes) }
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
