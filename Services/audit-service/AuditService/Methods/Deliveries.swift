// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import Logging
internal import Metrics
internal import RPC

/// `events.deliver`: takes the services' events into the logs.
struct Deliveries: Sendable {
  private let log: AuditLog
  private let logger: Logger
  private let entries: Counter
  private let conflicts: Counter

  init(_ log: AuditLog, logger: Logger, metrics: MetricsRegistry) {
    self.log = log
    self.logger = logger
    entries = metrics.counter("assent_audit_entries_total", "Entries appended to the logs")
    conflicts = metrics.counter(
      "assent_audit_conflicts_total", "Events refused because another history of their subject was taken before")
  }

  func register(on router: inout MethodRouter) {
    router.on(EventMethods.deliver) { params, context in
      try params.checkSource(context)
      return try await take(params.events)
    }
  }

  private func take(_ events: [Event]) async throws -> DeliverResult {
    let outcomes = try await log.append(events)
    for (event, outcome) in zip(events, outcomes) {
      switch outcome {
      case .applied: for _ in event.records { entries.increment() }
      case .conflict:
        conflicts.increment()
        logger.error(
          "an event contradicts what was taken before: its source has two histories of one subject",
          ["source": .string(event.source), "entryId": .string(event.entryId), "seq": .integer(event.seq)])
      case .duplicate, .gap: break
      }
    }
    return DeliverResult(outcomes: outcomes)
  }
}
