// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import Events
public import RPC
public import SQLStore
public import ServiceKit
internal import SettingsContracts

/// Keeps what the operating system allows on each device, and says whether and how to ask for more.
public struct PermissionService: Service {
  public static let name = "permission-service"
  public static let migrations = [Migration(version: 1, name: "start", sql: PackageResources.V0001_start_sql)]
  public static let subscribers = ["audit-service", "notification-prefs-service"]

  private let catalog: CatalogMethods
  private let status: StatusMethods
  private let primer: PrimerMethods

  public init(_ environment: ServiceEnvironment) async throws {
    let catalogs = CatalogStore(environment.ledger)
    catalog = CatalogMethods(ledger: environment.ledger, catalogs: catalogs)
    status = StatusMethods(ledger: environment.ledger, catalogs: catalogs)
    primer = PrimerMethods(ledger: environment.ledger, catalogs: catalogs, clock: environment.clock)
  }

  public func register(on router: inout MethodRouter) {
    router.on(PermissionMethods.catalog, catalog.catalog)
    router.on(PermissionMethods.publishCatalog, catalog.publish)
    router.on(PermissionMethods.report, status.report)
    router.on(PermissionMethods.list, status.list)
    router.on(PermissionMethods.primer, primer.primer)
    router.on(PermissionMethods.record, primer.record)
  }

  public func statements(replaying event: Event) throws -> [SQLStatement] {
    try event.statements(of: PermissionEffect.self)
  }

  public func statements(erasing subject: Subject) -> [SQLStatement] { PermissionEffect.erase(subject) }
}
