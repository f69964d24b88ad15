// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Configuration
public import Events
internal import JSONRPC
public import RPC
public import SQLStore
public import ServiceKit

/// consent-service: what a person allows, and whether processing may happen.
public struct ConsentService: Service {
  public static let name = "consent-service"
  public static let migrations = [
    Migration(version: 1, name: "start", sql: PackageResources.V0001_start_sql),
    Migration(version: 2, name: "room", rewritten: ["consent_record"]),
  ]

  private let policies: Policies
  private let reads: Reads
  private let subjects: Subjects
  private let decisions: Decisions
  private let checks: Checks
  private let links: Links
  private let events: AppEvents

  /// - Throws: `ConfigurationError` when the regulation file of the configuration cannot be used.
  public init(_ environment: ServiceEnvironment) async throws {
    let records = RecordStore(environment.ledger, try RegulationTable.load(environment.configuration))
    policies = Policies(records: records)
    reads = Reads(records: records, clock: environment.clock, peers: environment.peers)
    subjects = Subjects(records: records)
    decisions = Decisions(records: records)
    checks = Checks(records: records, clock: environment.clock)
    links = Links(records: records, peers: environment.peers)
    events = AppEvents(inbox: Inbox(store: environment.store))
  }

  public func register(on router: inout MethodRouter) {
    policies.register(on: &router)
    reads.register(on: &router)
    subjects.register(on: &router)
    decisions.register(on: &router)
    checks.register(on: &router)
    links.register(on: &router)
    events.register(on: &router)
  }

  public func statements(replaying event: Event) throws -> [SQLStatement] {
    try event.statements(of: ConsentEffect.self)
  }

  public func statements(erasing subject: Subject) -> [SQLStatement] { ConsentEffect.erase(subject) }

  public var rebase: Rebase { ConsentEffect.rebase }

  public func take(_ events: [Event]) async throws -> [Acceptance] { try await self.events.take(events) }
}
