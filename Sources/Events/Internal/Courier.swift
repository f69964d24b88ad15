// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import Logging
internal import Metrics
internal import RPC
internal import SQLStore

/// Brings the outbox's rows for one subscriber to it.
///
/// A pass goes from where the last one ended to the end of the outbox; where transactions run side by side it begins where
/// rows may still have come in behind that. Rows of other ledgers of the store, of other replicas and earlier starts, have
/// relays of their own; those that stay all the same are taken along from the start now and then. What the subscriber did not take (a gap, because
/// another relay is ahead; a conflict) stays behind, holds up nothing else, and is tried again by a pass from the start.
/// Acknowledged rows are removed together, a moment later: forgetting which they were costs a repetition, no more.
struct Courier {
  static let deliveryMilliseconds = 10_000
  private static let batchEvents = 512
  private static let batchBytes = 768 << 10
  private static let removedTogether = 1024
  /// How long acknowledged rows wait for company when nothing else happens.
  private static let lingerMilliseconds = 40
  /// Without a signal, rows of other processes are looked for this often.
  private static let idleMilliseconds = 2_000
  /// Passes that find less than a batch begin at least this far apart, so that a steady stream goes in batches. The
  /// first after a pause begins at once.
  private static let spacingMilliseconds: Int64 = 40
  private static let measureMilliseconds: Int64 = 2_000
  /// Where others write too, passes from the start are at most this far apart.
  private static let sweepMilliseconds: Int64 = 1_000
  /// After this long, rows of another ledger are taken for abandoned.
  private static let abandonedMilliseconds: Int64 = 2_000
  private static let countedRows = 10_000
  /// About five seconds.
  private static let triesBeforeWarning = 8

  private let ledger: Ledger
  private let outbox: Outbox
  private let subscriber: String
  private let gauges: RelayGauges
  private let deliver: Relay.Delivery
  /// Of the ledger's feed, where it has one.
  private let reader: Int?
  /// Nobody else may write under this ledger's number by now; rows of one number then are one ledger's.
  private var isNumberOwn = false

  /// How far the passes have come, by app: every row up to there has been delivered, or left behind.
  private var cursors: [String: Int64] = [:]
  /// Positions beyond a cursor that have been, too.
  private var delivered: Set<Int64> = []
  /// Monotonic milliseconds of the last pass from the start.
  private var startedOverAt: Int64 = 0
  private var acknowledged: [Outbox.Row] = []
  /// Some were left behind: since rows were last removed or, where they come in any order, since the last pass from the
  /// start began.
  private var hasLeftBehind = false
  /// Rows that passes left behind; nil when none. Monotonic milliseconds of the next pass from the start.
  private var returnAt: Int64?
  private var away = Backoff(first: 50, most: 5_000)
  private var stuck: Backoff
  private var measuredAt: Int64?

  init(_ ledger: Ledger, _ subscriber: String, _ gauges: RelayGauges, _ deliver: @escaping Relay.Delivery) {
    self.ledger = ledger
    self.subscriber = subscriber
    self.gauges = gauges
    self.deliver = deliver
    outbox = Outbox(ledger.store)
    reader = ledger.feed?.open(for: subscriber)
    // Where others write too, what is missing is most often on its way in another's hands: a moment later it is there.
    stuck = Backoff(first: 20, most: ledger.store.hasOneWriter ? 30_000 : Int(Self.sweepMilliseconds))
  }

  /// Runs until its task is cancelled.
  mutating func run() async {
    while !Task.isCancelled {
      let seen = ledger.signal.count
      let began = MonotonicClock.milliseconds()
      do {
        await measure()
        let pass = try await makePass()
        if pass.delivered { welcomeBack() }
        schedule(pass)
        await wait(after: seen, began: began, pass)
        try await settle(idle: ledger.signal.count == seen)
      } catch {
        if let reader { ledger.feed?.skip(reader) }
        await pause(error)
      }
    }
    if let reader { ledger.feed?.close(reader) }
    try? await remove()
  }

  private struct Pass {
    /// It looked at everything there is.
    let isWhole: Bool
    var delivered = false
    var leftBehind = 0
    var wasFull = false
  }

  private mutating func makePass() async throws -> Pass {
    var pass = Pass(isWhole: cursors.isEmpty)
    if pass.isWhole {
      startedOverAt = MonotonicClock.milliseconds()
      delivered.removeAll(keepingCapacity: true)
      hasLeftBehind = false
      if !ledger.store.hasOneWriter {
        isNumberOwn = try await ledger.positions.isOwn(lastGiven: LedgerNumber.last(ledger.store))
      }
    } else if let reader, let feed = ledger.feed {
      // Before the look: what is committed after it is beyond this, and what is not beyond was handed over.
      let settled = ledger.positions.settled
      if let rows = feed.take(reader) {
        try await deliver(handed: rows, settled: settled, &pass)
        return pass
      }
    }
    if let reader { ledger.feed?.restart(reader) }
    for app in try await outbox.apps() {
      // Before the look: what is committed after it is beyond this.
      let settled = ledger.positions.settled
      var position = cursors[app] ?? 0
      while !Task.isCancelled {
        let found = try await outbox.rows(
          app, for: subscriber, after: position, of: ledger.positions.number, before: abandonedBefore,
          limit: Self.batchEvents)
        guard let end = found.last?.position else { break }
        let rows = delivered.isEmpty ? found : found.filter { !delivered.contains($0.position) }
        guard !rows.isEmpty else {
          position = end
          continue
        }
        let batch = Self.fitting(rows[...])
        try await deliver(batch, of: app, settled: settled, &pass)
        position = batch.last!.position
        // That was the end. What was committed meanwhile waits for company: else deliveries of a few would follow on one
        // another for as long as writes do.
        if found.count < Self.batchEvents, batch.count == rows.count { break }
      }
    }
    return pass
  }

  /// Those that this process's writes left since the last pass.
  private mutating func deliver(handed rows: [Outbox.Row], settled: Int64?, _ pass: inout Pass) async throws {
    // Some may have been read as well.
    var rest = rows.filter { $0.position > cursors[$0.app] ?? 0 && !delivered.contains($0.position) }[...]
    while let app = rest.first?.app, !Task.isCancelled {
      let batch = Self.fitting(rest.prefix(Self.batchEvents).prefix { $0.app == app })
      try await deliver(batch, of: app, settled: settled, &pass)
      rest = rest.dropFirst(batch.count)
    }
  }

  private mutating func deliver(
    _ batch: ArraySlice<Outbox.Row>, of app: String, settled: Int64?, _ pass: inout Pass
  ) async throws {
    let result = try await deliver(subscriber, EncodedEvents(events: batch.map { RawJSON(Array($0.event.utf8)) }))
    guard result.outcomes.count == batch.count else {
      throw RPCError.internalError("\(result.outcomes.count) outcomes for \(batch.count) events")
    }
    note(batch, result.outcomes, &pass)
    advance(app, to: batch.last!.position, settled: settled, past: batch)
    if acknowledged.count >= Self.removedTogether { try await remove() }
    pass.wasFull = batch.count == Self.batchEvents
  }

  /// Rows of other ledgers are theirs to deliver, for a while.
  private var abandonedBefore: Int64 {
    guard !ledger.store.hasOneWriter else { return .max }
    let now = ledger.clock.now().milliseconds
    return OutboxPositions.position(of: Timestamp(milliseconds: now - Self.abandonedMilliseconds))
  }

  private mutating func advance(
    _ app: String, to position: Int64, settled: Int64?, past batch: ArraySlice<Outbox.Row>
  ) {
    guard let settled, settled < position else {
      cursors[app] = position
      return
    }
    let cursor = max(cursors[app] ?? 0, settled)
    cursors[app] = cursor
    for row in batch where row.position > cursor { delivered.insert(row.position) }
  }

  /// The first rows, as many as go into one message; at least one.
  private static func fitting(_ rows: ArraySlice<Outbox.Row>) -> ArraySlice<Outbox.Row> {
    var bytes = 0
    for (index, row) in zip(rows.indices, rows) {
      bytes += row.event.utf8.count
      if bytes > batchBytes, index > rows.startIndex { return rows[..<index] }
    }
    return rows
  }

  private mutating func note(_ batch: ArraySlice<Outbox.Row>, _ outcomes: [Acceptance], _ pass: inout Pass) {
    pass.delivered = true
    for (row, outcome) in zip(batch, outcomes) {
      switch outcome {
      case .applied, .duplicate:
        acknowledged.append(row)
      case .gap:
        gauges.gaps.increment()
        pass.leftBehind += 1
        hasLeftBehind = true
      case .conflict:
        gauges.conflicts.increment()
        pass.leftBehind += 1
        hasLeftBehind = true
        ledger.history.contest()
        ledger.logger.error(
          "the subscriber has another event in this one's place: two histories of one subject exist",
          [
            "subscriber": .string(subscriber), "app": .string(row.app), "epoch": .string(ledger.epoch),
            "position": .integer(row.position),
          ])
      }
    }
    gauges.delivered.increment(by: outcomes.count { $0.isSettled })
  }

  /// When rows were left behind: the next pass from the start comes soon, then later and later while there are some.
  private mutating func schedule(_ pass: Pass) {
    guard pass.leftBehind > 0 else {
      if pass.isWhole { stuck.reset() }
      return
    }
    guard returnAt == nil else { return }
    returnAt = MonotonicClock.milliseconds() + Int64(stuck.next())
    if stuck.tries == Self.triesBeforeWarning {
      ledger.logger.warning(
        "events are held back: the subscriber lacks earlier ones, or has others in their place",
        ["subscriber": .string(subscriber), "epoch": .string(ledger.epoch), "events": .integer(Int64(pass.leftBehind))])
    }
  }

  private func wait(after seen: Int, began: Int64, _ pass: Pass) async {
    let now = MonotonicClock.milliseconds()
    var longest = Int64(acknowledged.isEmpty ? Self.idleMilliseconds : Self.lingerMilliseconds)
    if !ledger.store.hasOneWriter { longest = min(longest, Self.sweepMilliseconds) }
    if let returnAt { longest = min(longest, returnAt - now) }
    guard longest > 0 else { return }
    await ledger.signal.wait(after: seen, milliseconds: Int(longest))
    let rest = began + Self.spacingMilliseconds - MonotonicClock.milliseconds()
    if pass.delivered, !pass.wasFull, rest > 0 { try? await Task.sleep(for: .milliseconds(rest)) }
  }

  /// After a wait.
  /// - Parameter idle: nothing was committed meanwhile.
  private mutating func settle(idle: Bool) async throws {
    let isSweepDue =
      !ledger.store.hasOneWriter
      && MonotonicClock.milliseconds() - startedOverAt >= Self.sweepMilliseconds
    if isSweepDue, returnAt == nil {
      try await remove()
      cursors = [:]
    } else if let due = returnAt {
      guard MonotonicClock.milliseconds() >= due else { return }
      try await remove()
      returnAt = nil
      cursors = [:]
    } else if idle {
      // Rows that other processes committed behind the cursor are found from the start.
      if acknowledged.isEmpty { cursors = [:] } else { try await remove() }
    }
  }

  private mutating func remove() async throws {
    guard !acknowledged.isEmpty else { return }
    for (app, rows) in Dictionary(grouping: acknowledged, by: \.app) {
      try await outbox.remove(rows, of: app, for: subscriber, whole: acknowledgedStretch(of: app))
    }
    acknowledged.removeAll(keepingCapacity: true)
    if ledger.store.hasOneWriter { hasLeftBehind = false }
  }

  /// Where all rows of this ledger, from the first that is acknowledged on, are so.
  private func acknowledgedStretch(of app: String) -> Outbox.Stretch? {
    // Where a pass left none behind, all it saw are acknowledged.
    guard !hasLeftBehind else { return nil }
    let number = ledger.positions.number
    // With one writer they are committed in the order of their positions, so none has come in behind those that a pass saw.
    guard !ledger.store.hasOneWriter else { return Outbox.Stretch(ledger: number, positions: 0 ... .max) }
    // Else none has up to the cursor, unless a write's outcome is not known.
    let first = ledger.positions.lastDoubtful + 1
    guard isNumberOwn, let last = cursors[app], first <= last else { return nil }
    return Outbox.Stretch(ledger: number, positions: first...last)
  }

  private mutating func pause(_ error: any Error) async {
    guard !Task.isCancelled else { return }
    if away.isFresh {
      ledger.logger.warning(
        "events wait: the subscriber does not take them",
        ["subscriber": .string(subscriber), "problem": .string(Self.describe(error))])
    }
    try? await Task.sleep(for: .milliseconds(away.next()))
  }

  private mutating func welcomeBack() {
    guard !away.isFresh else { return }
    away.reset()
    ledger.logger.info("the subscriber takes events again", ["subscriber": .string(subscriber)])
  }

  /// Without anything a subscriber may have quoted from an event.
  private static func describe(_ error: any Error) -> String {
    if let error = error as? RPCError { return "\(error.code.status) \(error.reason)" }
    return String(describing: type(of: error))
  }

  private mutating func measure() async {
    let now = MonotonicClock.milliseconds()
    if let measuredAt, now - measuredAt < Self.measureMilliseconds { return }
    measuredAt = now
    guard let backlog = try? await outbox.backlog(for: subscriber, limit: Self.countedRows) else { return }
    gauges.rows.set(backlog.rows)
    gauges.oldest.set(Int(OutboxPositions.milliseconds(of: backlog.oldest ?? 0)))
  }
}
