// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import Logging
internal import Metrics
internal import RPC

/// `events.deliver`: takes the services' events into the logs.
struct Deliveries: Sendable {
  /// `EventMethods.deliver` with a form of its own for the events.
  private static let deliver = Method<TakenEvents, DeliverResult>(
    EventMethods.deliver.name, EventMethods.deliver.descriptor.summary, EventMethods.deliver.descriptor.access,
    effect: .write, idempotent: true)

  private let log: AuditLog
  private let logger: Logger
  private let entries: Counter
  private let conflicts: Counter
  private let ledger: Ledger
  private let held = HeldBack()

  init(_ log: AuditLog, _ ledger: Ledger, logger: Logger, metrics: MetricsRegistry) {
    self.log = log
    self.ledger = ledger
    self.logger = logger
    metrics.reading(
      "assent_audit_held_back", "Subjects whose events wait for one that does not come: this log lost it"
    ) { [held] in Double(held.count(now: MonotonicClock.milliseconds())) }
    entries = metrics.counter("assent_audit_entries_total", "Entries appended to the logs")
    conflicts = metrics.counter(
      "assent_audit_conflicts_total", "Events refused because another history of their subject was taken before")
  }

  func register(on router: inout MethodRouter) {
    router.on(Self.deliver) { params, context in
      try EventMethods.checkSource(params.events.lazy.map(\.event.source), context)
      return try await take(params.events)
    }
  }

  private func take(_ events: [TakenEvent]) async throws -> DeliverResult {
    var outcomes = try await log.append(events)
    note(events, outcomes)
    let now = MonotonicClock.milliseconds()
    let overdue = events.indices.filter { outcomes[$0] == .gap && held.isOverdue(events[$0].event, now: now) }
    if !overdue.isEmpty {
      logger.error(
        "events wait for others that do not come: this log lost them, or their service did",
        ["source": .string(events[0].event.source), "subjects": .integer(Int64(overdue.count))])
      guard try await log.isLossAccepted() else { return DeliverResult(outcomes: outcomes) }
      for index in overdue { outcomes[index] = try await takeOverGap(events[index]) }
      // Those behind them come again, and follow.
    }
    return DeliverResult(outcomes: outcomes)
  }

  /// Leaves an entry that says what is missing, then takes the event.
  private func takeOverGap(_ taken: TakenEvent) async throws -> Acceptance {
    let event = taken.event
    let (missing, subject) = try await log.gap(before: event)
    let generation = SubjectName(of: event).generation
    let named = event.subjectOf
    let context = CallContext(
      principal: Principal(kind: .service, app: event.app, name: AuditService.name), requestId: event.entryId,
      deadline: .after(milliseconds: Deadline.standardMilliseconds), idempotencyKey: "gap-\(event.entryId)")
    _ = try await ledger.write(subject, context, method: EventMethods.deliver.name, params: Empty()) { _, change in
      change.payload = ["generation": .integer(generation)]
      var personal: [String: JSONValue] = [:]
      personal["accountId"] = named.accountId.map(JSONValue.string)
      personal["deviceId"] = named.deviceId.map(JSONValue.string)
      change.record(
        "audit.eventsMissing",
        facts: ["source": .string(event.source), "count": .integer(missing), "before": .string(event.entryId)],
        personal: personal)
      return Empty()
    }
    let outcome = try await log.append([taken], overGaps: true)
    note([taken], outcome)
    return outcome[0]
  }

  private func note(_ events: [TakenEvent], _ outcomes: [Acceptance]) {
    let now = MonotonicClock.milliseconds()
    for (taken, outcome) in zip(events, outcomes) {
      let event = taken.event
      held.note(event, outcome, now: now)
      switch outcome {
      case .applied: for _ in taken.records { entries.increment() }
      case .conflict:
        conflicts.increment()
        logger.error(
          "an event contradicts what was taken before: its source has two histories of one subject",
          ["source": .string(event.source), "entryId": .string(event.entryId), "seq": .integer(event.seq)])
      case .duplicate, .gap: break
      }
    }
  }
}
