// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Configuration
public import Events
public import JSONRPC
public import RPC
public import SQLStore
public import ServiceKit
internal import SettingsContracts

/// Keeps apps, service keys, sessions and accounts.
public struct AccountService: Service {
  public static let name = "account-service"
  public static let migrations = [Migration(version: 1, name: "start", sql: PackageResources.V0001_start_sql)]
  public static let subscribers = ["audit-service", "notification-prefs-service", "consent-service"]

  private let apps: AppHandlers
  private let keys: KeyHandlers
  private let sessions: SessionHandlers
  private let renewals: RenewalHandlers
  private let signingOut: SignOutHandlers
  private let accounts: AccountHandlers
  private let blocks: BlockHandlers
  private let authentication: AuthenticationHandlers
  private let housekeeping: Housekeeping
  private let firstStart: FirstStart?

  /// - Throws: when the signing keys cannot be read or made.
  public init(_ environment: ServiceEnvironment) async throws {
    let configuration = environment.configuration
    let folder = configuration.string("ASSENT_DATA_DIR", default: ".assent")
    let file = SigningKeyFile(
      path: configuration.string("ASSENT_SIGNING_KEY_FILE", default: "\(folder)/account-service.signing-keys.json"))
    let issuer = TokenIssuer(keys: try file.load())
    let ledger = environment.ledger
    apps = AppHandlers(ledger: ledger, peers: environment.peers)
    keys = KeyHandlers(ledger: ledger)
    sessions = SessionHandlers(ledger: ledger, issuer: issuer)
    renewals = RenewalHandlers(ledger: ledger, issuer: issuer)
    signingOut = SignOutHandlers(ledger: ledger, issuer: issuer)
    accounts = AccountHandlers(ledger: ledger)
    blocks = BlockHandlers(ledger: ledger)
    authentication = AuthenticationHandlers(ledger: ledger, issuer: issuer)
    housekeeping = Housekeeping(store: environment.store, clock: environment.clock, logger: environment.logger)
    let isDemo = try configuration.bool("ASSENT_DEMO", default: false)
    firstStart = configuration.string("ASSENT_BOOTSTRAP_CREDENTIALS").map {
      FirstStart(path: $0, isDemo: isDemo, ledger: ledger, issuer: issuer, logger: environment.logger)
    }
  }

  public func begin() async throws { try await firstStart?.complete() }

  public func register(on router: inout MethodRouter) {
    router.on(AppMethods.publish, apps.publish)
    router.on(AppMethods.get, apps.get)
    router.on(KeyMethods.create, keys.create)
    router.on(KeyMethods.list, keys.list)
    router.on(KeyMethods.revoke, keys.revoke)
    router.on(SessionMethods.startDevice, sessions.startDevice)
    router.on(SessionMethods.start, sessions.start)
    router.on(SessionMethods.refresh, renewals.refresh)
    router.on(SessionMethods.reauthenticate, renewals.reauthenticate)
    router.on(SessionMethods.list, sessions.list)
    router.on(SessionMethods.signOut, signingOut.signOut)
    router.on(SessionMethods.signOutEverywhere, signingOut.signOutEverywhere)
    router.on(SessionMethods.verify, authentication.verify)
    router.on(AccountMethods.create, accounts.create)
    router.on(AccountMethods.get, accounts.get)
    router.on(AccountMethods.rename, accounts.rename)
    router.on(AccountMethods.update, accounts.update)
    router.on(AccountMethods.setAppearance, accounts.setAppearance)
    router.on(AccountMethods.block, blocks.block)
    router.on(AccountMethods.unblock, blocks.unblock)
    router.on(AccountMethods.blocked, blocks.blocked)
    router.on(AccountMethods.authChanges, authentication.changes)
  }

  public func run() async throws { try await housekeeping.run() }

  public func statements(replaying event: Event) throws -> [SQLStatement] {
    try event.statements(of: AccountEffect.self)
  }

  public func statements(erasing subject: Subject) -> [SQLStatement] { AccountEffect.erase(subject) }

  /// Refreshes leave no events: how many tokens were spent since the backup, and until when the last of them is good, is
  /// not known.
  public func statements(concludingAt now: Timestamp) -> [SQLStatement] { [SessionRows.forget(now: now)] }
}
