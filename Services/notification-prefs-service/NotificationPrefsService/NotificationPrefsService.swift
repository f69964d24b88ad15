// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import Events
public import RPC
public import SQLStore
public import ServiceKit
internal import SettingsContracts
internal import TimeZones

/// Keeps what a person wants to be told of and how, and decides whether a notification may be sent.
public struct NotificationPrefsService: Service {
  public static let name = "notification-prefs-service"
  public static let migrations = [Migration(version: 1, name: "start", sql: PackageResources.V0001_start_sql)]

  private let catalog: CatalogMethods
  private let preferences: PreferencesMethods
  private let decisions: DecisionMethods
  private let events: EventIntake

  public init(_ environment: ServiceEnvironment) async throws {
    let ledger = environment.ledger
    let catalogs = CatalogStore(ledger)
    let zones = TimeZoneDatabase.system
    catalog = CatalogMethods(
      ledger: ledger, catalogs: catalogs, consents: ConsentSource(peers: environment.peers))
    preferences = PreferencesMethods(ledger: ledger, catalogs: catalogs, zones: zones)
    decisions = DecisionMethods(
      ledger: ledger, catalogs: catalogs, zones: zones, clock: environment.clock,
      consents: ConsentSource(peers: environment.peers))
    events = EventIntake(inbox: Inbox(store: environment.store))
  }

  public func register(on router: inout MethodRouter) {
    router.on(NotificationMethods.catalog, catalog.catalog)
    router.on(NotificationMethods.publishCatalog, catalog.publish)
    router.on(NotificationMethods.get, preferences.get)
    router.on(NotificationMethods.save, preferences.save)
    router.on(NotificationMethods.update, preferences.update)
    router.on(NotificationMethods.decide, decisions.decide)
    router.on(NotificationMethods.decideMany, decisions.decideMany)
    router.on(EventMethods.deliver, events.deliver)
  }

  public func statements(replaying event: Event) throws -> [SQLStatement] {
    try event.statements(of: NotificationEffect.self)
  }

  public func statements(erasing subject: Subject) -> [SQLStatement] { NotificationEffect.erase(subject) }

  public var rebase: Rebase { NotificationEffect.rebase }

  public func take(_ events: [Event]) async throws -> [Acceptance] { try await self.events.take(events) }
}
